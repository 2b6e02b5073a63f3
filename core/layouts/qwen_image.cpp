#include <algorithm>

#include "core/layouts/parts.h"

namespace ropescope {

using namespace layout_settings;

namespace {

constexpr AxisDefault kQwenImageAxes[] = {{"t", 16, 10000}, {"row", 56, 10000}, {"column", 56, 10000}};

/// From −(n − n//2) to n//2 − 1: an odd side has one more negative id.
AxisIds centred(Along along, int count) {
  return counted_ids(along, -(count - count / 2));
}

TokenLayout arrange_qwen_image(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  set_ladders(arranged, listed_axes(layout, request));
  std::vector<TokenGrid> grids = {image_grid(layout, request)};
  for (std::size_t i = 0; i < request.references.size(); ++i) {
    grids.push_back(reference_grid(layout, request, i));
  }
  int text_start = 0;
  for (const TokenGrid& grid : grids) text_start = std::max({text_start, grid.rows / 2, grid.columns / 2});
  const AxisIds text = counted_ids(Along::token, text_start);
  add_line(arranged, "text", request.text, {text, text, text});
  for (std::size_t i = 0; i < grids.size(); ++i) {
    add_block(arranged, i == 0 ? "image" : reference_name(i - 1), grids[i], 1,
              {fixed_id(static_cast<double>(i)), centred(Along::row, grids[i].rows),
               centred(Along::column, grids[i].columns)});
  }
  return arranged;
}

}  // namespace

extern constinit const Layout kQwenImageLayout{
    .name = "qwen-image",
    .source = "huggingface/diffusers transformer_qwenimage.py QwenEmbedRope (scale_rope)",
    .axes = kQwenImageAxes,
    .vae_factor = 8,
    .patch = 2,
    .settings = kReferenceSettings,
    .arrange = arrange_qwen_image};

}  // namespace ropescope
