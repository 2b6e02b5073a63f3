#include "core/layouts/parts.h"

namespace ropescope {

using namespace layout_settings;

namespace {

constexpr AxisDefault kErnieImageAxes[] = {{"t", 32, 256}, {"row", 48, 256}, {"column", 48, 256}};

TokenLayout arrange_ernie(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  arranged.table_mismatch = true;
  set_ladders(arranged, listed_axes(layout, request));
  const TokenGrid grid = image_grid(layout, request);
  add_block(arranged, "image", grid, 1,
            {fixed_id(static_cast<double>(request.text)), counted_ids(Along::row), counted_ids(Along::column)});
  add_line(arranged, "text", request.text, {counted_ids(Along::token), fixed_id(0), fixed_id(0)});
  return arranged;
}

}  // namespace

extern constinit const Layout kErnieImageLayout{
    .name = "ernie-image",
    .source = "huggingface/diffusers transformer_ernie_image.py ErnieImageEmbedND3",
    .has_quirk = true,
    .axes = kErnieImageAxes,
    .vae_factor = 8,
    .patch = 2,
    .keeps_norms = false,
    .settings = kImageTextSettings,
    .arrange = arrange_ernie};

}  // namespace ropescope
