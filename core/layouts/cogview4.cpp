#include "core/layouts/parts.h"

namespace ropescope {

using namespace layout_settings;

namespace {

constexpr AxisDefault kCogview4Axes[] = {{"row", 64, 10000}, {"column", 64, 10000}};
constexpr LayoutSetting kPositionGrid{
    {.name = "position_grid", .knob = false}, &LayoutRequest::position_grid, {}, kNotForCounterpart};
constexpr LayoutSetting kCogview4Settings[] = {kImage, kText, kHeadDim, kBase, kPositionGrid};

/// index · positions // count: the side is stretched to that many positions, whatever its length.
AxisIds stretched(Along along, std::int64_t count, std::int64_t positions) {
  AxisIds ids{along, 0, {}};
  for (std::int64_t i = 0; i < count; ++i) ids.listed.push_back(static_cast<double>(i * positions / count));
  return ids;
}

TokenLayout arrange_cogview4(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  set_ladders(arranged, equal_axes(layout, request, head_dim_of(layout, request, 128, 4) / 2));
  std::vector<int> positions = request.position_grid;
  if (positions.empty()) positions = {256, 256};
  if (positions.size() != 2 || positions[0] < 1 || positions[1] < 1 || positions[0] > 65536 || positions[1] > 65536) {
    reject(layout, "layouts.position_grid", {{"count", positions.size()}});
  }
  const TokenGrid grid = image_grid(layout, request);
  add_block(arranged, "image", grid, 1,
            {stretched(Along::row, grid.rows, positions[0]), stretched(Along::column, grid.columns, positions[1])});
  shift_tokens(arranged, request.text);
  return arranged;
}

}  // namespace

extern constinit const Layout kCogView4Layout{
    .name = "cogview4",
    .source = "huggingface/diffusers transformer_cogview4.py CogView4RotaryPosEmbed",
    .axes = kCogview4Axes,
    .pairing = Pairing::half_split,
    .vae_factor = 8,
    .patch = 2,
    .settings = kCogview4Settings,
    .arrange = arrange_cogview4};

}  // namespace ropescope
