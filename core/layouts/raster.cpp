#include "core/layouts/parts.h"

namespace ropescope {

using namespace layout_settings;

namespace {

constexpr AxisDefault kRasterAxes[] = {{"position", 128, 10000}};
constexpr LayoutSetting kRasterSettings[] = {kImage, kText, kReferences, kFrames, kHeadDim, kBase, kPatch, kPairing};

TokenLayout arrange_raster(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  arranged.pairing = request.pairing.value_or(layout.pairing);
  set_ladders(arranged, equal_axes(layout, request, head_dim_of(layout, request, 128, 2)));
  double next = 0;
  const auto count_on = [&next](std::int64_t count) {
    const double first = next;
    next += static_cast<double>(count);
    return std::vector<AxisIds>{counted_ids(Along::token, first)};
  };
  add_line(arranged, "text", request.text, count_on(request.text));
  const TokenGrid image = image_grid(layout, request);
  const std::int64_t tokens = static_cast<std::int64_t>(image.rows) * image.columns * request.frames;
  add_block(arranged, "image", image, request.frames, count_on(tokens));
  for (std::size_t i = 0; i < request.references.size(); ++i) {
    const TokenGrid grid = reference_grid(layout, request, i);
    add_block(arranged, reference_name(i), grid, 1, count_on(static_cast<std::int64_t>(grid.rows) * grid.columns));
  }
  return arranged;
}

}  // namespace

/// The image read as one line of tokens, row after row: what FLUX does not do.
extern constinit const Layout kRasterLayout{
    .name = "raster",
    .source = "RoFormer, arXiv 2104.09864, section 3.2, over the tokens of an image",
    .axes = kRasterAxes,
    .vae_factor = 8,
    .patch = 2,
    .settings = kRasterSettings,
    .arrange = arrange_raster};

}  // namespace ropescope
