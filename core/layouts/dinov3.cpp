#include <numbers>

#include "core/layouts/parts.h"

namespace ropescope {

using namespace layout_settings;

namespace {

constexpr AxisDefault kDinov3Axes[] = {{"row", 32, 100}, {"column", 32, 100}};

/// Middles of the patches, 2·(i + ½)/n − 1.
AxisIds normalised(Along along, int count) {
  AxisIds ids{along, 0, {}};
  for (int i = 0; i < count; ++i) ids.listed.push_back((2.0 * i + 1 - count) / count);
  return ids;
}

TokenLayout arrange_dinov3(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  std::vector<LayoutAxis> axes = equal_axes(layout, request, head_dim_of(layout, request, 64, 4) / 2);
  for (LayoutAxis& axis : axes) axis.id_scale = 2 * std::numbers::pi;
  set_ladders(arranged, std::move(axes));
  arranged.notes.emplace_back(kUncountedTokens);
  const TokenGrid grid = image_grid(layout, request);
  add_block(arranged, "image", grid, 1, {normalised(Along::row, grid.rows), normalised(Along::column, grid.columns)});
  return arranged;
}

}  // namespace

/// θ_j = b^(−4j/d) over coordinates in [−1, 1] times 2π.
extern constinit const Layout kDinov3Layout{
    .name = "dinov3",
    .source = "huggingface/transformers modeling_dinov3_vit.py DINOv3ViTRopePositionEmbedding",
    .axes = kDinov3Axes,
    .pairing = Pairing::half_split,
    .patch = 16,
    .settings = kVisionSettings,
    .arrange = arrange_dinov3};

}  // namespace ropescope
