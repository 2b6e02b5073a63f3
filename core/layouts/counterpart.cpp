#include "core/layouts/counterpart.h"

#include <algorithm>

#include "core/error.h"

namespace ropescope {

namespace {

ImageSize grid_of_block(const TokenBlock& block) {
  return ImageSize::tokens(block.rows, static_cast<int>(block.columns));
}

std::string grid_text(const TokenBlock& block) {
  return (block.frames == 1 ? "" : std::to_string(block.frames) + " frames of ") + std::to_string(block.rows) +
         " rows by " + std::to_string(block.columns) + " columns";
}

[[noreturn]] void reject_without_image(const std::string& name) {
  throw InputError(name + ": there is no image in it; a layout with an image was expected");
}

/// Whether the layout arranges a single token with the head dimension that is asked for.
bool can_have_head_dim(const Layout& layout, const LayoutRequest& asked) {
  if (!asked.head_dim || !takes(layout, "head_dim")) return false;
  LayoutRequest request;
  request.image = ImageSize::tokens(1, 1);
  request.head_dim = asked.head_dim;
  if (takes(layout, "axes")) request.axes = asked.axes;
  try {
    arrange(layout, request);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

const TokenBlock& image_block(const TokenLayout& arranged) {
  const auto found = std::find_if(arranged.blocks.begin(), arranged.blocks.end(),
                                  [](const TokenBlock& block) { return block.part == "image"; });
  if (found != arranged.blocks.end()) return *found;
  reject_without_image(arranged.name);
}

LayoutRequest counterpart_request(const TokenLayout& arranged, const LayoutRequest& asked, const Layout& other) {
  if (!takes(other, "image")) reject_without_image(std::string(other.name));
  LayoutRequest request;
  const auto keep = [&](std::string_view setting, auto member) {
    if (takes(other, setting)) request.*member = asked.*member;
  };
  keep("text", &LayoutRequest::text);
  keep("text_after", &LayoutRequest::text_after);
  keep("frames", &LayoutRequest::frames);
  keep("frame_rate", &LayoutRequest::frame_rate);
  keep("tokens_per_second", &LayoutRequest::tokens_per_second);
  keep("unscaled", &LayoutRequest::unscaled);
  keep("base", &LayoutRequest::base);
  keep("max_frequency", &LayoutRequest::max_frequency);
  keep("axes", &LayoutRequest::axes);
  keep("pairing", &LayoutRequest::pairing);
  keep("mixed_frequencies", &LayoutRequest::head);
  keep("mixed_frequencies", &LayoutRequest::heads);
  keep("mixed_frequencies", &LayoutRequest::seed);
  request.image = grid_of_block(image_block(arranged));
  if (can_have_head_dim(other, asked)) request.head_dim = asked.head_dim;
  if (!takes(other, "references")) return request;
  for (const TokenBlock& block : arranged.blocks) {
    if (block.part.rfind("reference", 0) == 0) request.references.push_back(grid_of_block(block));
  }
  return request;
}

void require_same_image(const TokenLayout& arranged, const TokenLayout& other) {
  const TokenBlock &image = image_block(arranged), &against = image_block(other);
  if (image.frames == against.frames && image.rows == against.rows && image.columns == against.columns) return;
  throw InputError(other.name + ": its image has " + grid_text(against) + " of tokens; " + grid_text(image) +
                   ", as in " + arranged.name + ", was expected");
}

}  // namespace ropescope
