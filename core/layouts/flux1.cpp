#include "core/layouts/parts.h"

namespace ropescope {

using namespace layout_settings;

namespace {

constexpr AxisDefault kFlux1Axes[] = {{"t", 16, 10000}, {"row", 56, 10000}, {"column", 56, 10000}};

TokenLayout arrange_flux1(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  set_ladders(arranged, listed_axes(layout, request));
  add_line(arranged, "text", request.text, {fixed_id(0), fixed_id(0), fixed_id(0)});
  const TokenGrid grid = image_grid(layout, request);
  add_block(arranged, "image", grid, 1, {fixed_id(0), counted_ids(Along::row), counted_ids(Along::column)});
  return arranged;
}

}  // namespace

extern constinit const Layout kFlux1Layout{
    .name = "flux.1",
    .source = "black-forest-labs/flux src/flux/sampling.py prepare, modules/layers.py",
    .axes = kFlux1Axes,
    .vae_factor = 8,
    .patch = 2,
    .settings = kImageTextSettings,
    .arrange = arrange_flux1};

}  // namespace ropescope
