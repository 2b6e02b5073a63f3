#include "core/layouts/parts.h"

namespace ropescope {

using namespace layout_settings;

namespace {

constexpr AxisDefault kFlux2Axes[] = {{"t", 32, 2000}, {"row", 32, 2000}, {"column", 32, 2000}, {"l", 32, 2000}};

std::vector<AxisIds> image_ids(double t) {
  return {fixed_id(t), counted_ids(Along::row), counted_ids(Along::column), fixed_id(0)};
}

TokenLayout arrange_flux2(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  set_ladders(arranged, listed_axes(layout, request));
  add_line(arranged, "text", request.text, {fixed_id(0), fixed_id(0), fixed_id(0), counted_ids(Along::token)});
  add_block(arranged, "image", image_grid(layout, request), 1, image_ids(0));
  for (std::size_t i = 0; i < request.references.size(); ++i) {
    const TokenGrid grid = reference_grid(layout, request, i);
    add_block(arranged, reference_name(i), grid, 1, image_ids(10.0 * static_cast<double>(i + 1)));
  }
  return arranged;
}

}  // namespace

extern constinit const Layout kFlux2Layout{
    .name = "flux.2",
    .source = "huggingface/diffusers pipeline_flux2.py _prepare_*_ids, transformer_flux2.py Flux2PosEmbed",
    .axes = kFlux2Axes,
    .vae_factor = 8,
    .patch = 2,
    .settings = kReferenceSettings,
    .arrange = arrange_flux2};

}  // namespace ropescope
