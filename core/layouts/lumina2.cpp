#include "core/layouts/parts.h"

namespace ropescope {

using namespace layout_settings;

namespace {

constexpr AxisDefault kLumina2Axes[] = {{"t", 32, 10000}, {"row", 32, 10000}, {"column", 32, 10000}};

TokenLayout arrange_lumina2(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  set_ladders(arranged, listed_axes(layout, request));
  add_line(arranged, "text", request.text, {counted_ids(Along::token), fixed_id(0), fixed_id(0)});
  const TokenGrid grid = image_grid(layout, request);
  add_block(arranged, "image", grid, 1,
            {fixed_id(static_cast<double>(request.text)), counted_ids(Along::row), counted_ids(Along::column)});
  return arranged;
}

}  // namespace

extern constinit const Layout kLumina2Layout{
    .name = "lumina-2",
    .source = "huggingface/diffusers transformer_lumina2.py Lumina2RotaryPosEmbed",
    .axes = kLumina2Axes,
    .vae_factor = 8,
    .patch = 2,
    .settings = kImageTextSettings,
    .arrange = arrange_lumina2};

}  // namespace ropescope
