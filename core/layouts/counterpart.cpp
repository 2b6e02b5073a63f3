#include "core/layouts/counterpart.h"

#include <algorithm>

#include "core/error.h"
#include "core/layouts/parts.h"

namespace ropescope {

namespace {

ImageSize grid_of_block(const TokenBlock& block) {
  return ImageSize::tokens(block.rows, static_cast<int>(block.columns));
}

Words grid_words(const TokenBlock& block) {
  const Words grid("layouts.grid", {{"rows", block.rows}, {"columns", block.columns}});
  return block.frames == 1 ? grid : Words("layouts.frames_of", {{"frames", block.frames}, {"grid", grid}});
}

void copy_setting(const LayoutRequest& from, const LayoutSetting& setting, LayoutRequest& to) {
  std::visit(
      [&](auto member) {
        if constexpr (std::is_same_v<decltype(member), std::monostate>) {
          if (const auto value = value_of(from, setting)) set_value(to, setting, *value);
        } else {
          to.*member = from.*member;
        }
      },
      setting.member);
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
  reject(arranged.name, "layouts.no_image", {});
}

LayoutRequest counterpart_request(const TokenLayout& arranged, const LayoutRequest& asked, const Layout& other) {
  if (!takes(other, "image")) reject(other, "layouts.no_image", {});
  LayoutRequest request;
  for (const LayoutSetting& setting : other.settings) {
    if ((setting.traits & kNotForCounterpart) == 0) copy_setting(asked, setting, request);
  }
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
  reject(other.name, "layouts.other_image",
         {{"found", grid_words(against)}, {"expected", grid_words(image)}, {"other", arranged.name}});
}

}  // namespace ropescope
