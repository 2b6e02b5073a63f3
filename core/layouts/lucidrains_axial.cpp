#include <numbers>

#include "core/layouts/parts.h"

namespace ropescope {

using namespace layout_settings;

namespace {

constexpr AxisDefault kLucidrainsAxialAxes[] = {{"row", 32, 10000}, {"column", 32, 10000}};
constexpr LayoutSetting kMaxFrequency{
    {.key = "layout.max_frequency", .minimum = 2, .maximum = 1e6, .initial = 10, .symbol = "F"},
    &LayoutRequest::max_frequency};
constexpr LayoutSetting kLanguageLadder{{.key = "layout.language_ladder", .is_switch = true},
                                        &LayoutRequest::language_ladder,
                                        "max_frequency",
                                        kNotForCounterpart | kNoOption};
constexpr LayoutSetting kLucidrainsAxialSettings[] = {
    kImage, kHeadDim, kBase, kPatch, not_with(kMaxFrequency, kLanguageLadder.name), kLanguageLadder};

/// linspace(−1, 1, count), from both ends so that it is symmetric.
AxisIds from_edge_to_edge(Along along, int count) {
  AxisIds ids{along, 0, {}};
  const double step = count > 1 ? 2.0 / (count - 1) : 0;
  for (int i = 0; i < count; ++i) {
    const bool first_half = 2 * i < count - 1 || count == 1;
    const double coordinate = first_half ? -1 + i * step : 1 - (count - 1 - i) * step;
    ids.listed.push_back(2 * i == count - 1 && count > 1 ? 0 : coordinate);
  }
  return ids;
}

/// π·linspace(1, f/2, n), the same on both axes.
void set_pixel_ladder(TokenLayout& arranged, std::vector<LayoutAxis> axes, double max_frequency) {
  set_ladders(arranged, std::move(axes));
  const Eigen::Index pairs = arranged.pair_count() / 2;
  const double step = pairs > 1 ? (max_frequency / 2 - 1) / static_cast<double>(pairs - 1) : 0;
  for (Eigen::Index axis = 0; axis < 2; ++axis) {
    arranged.axes[static_cast<std::size_t>(axis)].base = 0;
    for (Eigen::Index i = 0; i < pairs; ++i) {
      arranged.frequencies(axis, axis * pairs + i) = (1 + step * static_cast<double>(i)) * std::numbers::pi;
    }
  }
}

TokenLayout arrange_lucidrains(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  const bool language = request.language_ladder || request.base.has_value();
  if (language && request.max_frequency) {
    reject(layout, "layouts.two_ladders", {});
  }
  std::vector<LayoutAxis> axes = equal_axes(layout, request, head_dim_of(layout, request, 64, 4) / 2);
  const TokenGrid grid = image_grid(layout, request);
  if (language) {
    set_ladders(arranged, std::move(axes));
    add_block(arranged, "image", grid, 1, {counted_ids(Along::row), counted_ids(Along::column)});
    return arranged;
  }
  set_pixel_ladder(arranged, std::move(axes), request.max_frequency.value_or(kMaxFrequency.initial));
  add_block(arranged, "image", grid, 1,
            {from_edge_to_edge(Along::row, grid.rows), from_edge_to_edge(Along::column, grid.columns)});
  return arranged;
}

}  // namespace

/// freqs_for = "pixel"; with a base (or language_ladder) freqs_for = "lang".
extern constinit const Layout kLucidrainsAxialLayout{
    .name = "lucidrains-axial",
    .source = "lucidrains/rotary-embedding-torch rotary_embedding_torch.py get_axial_freqs",
    .axes = kLucidrainsAxialAxes,
    .patch = 16,
    .settings = kLucidrainsAxialSettings,
    .arrange = arrange_lucidrains};

}  // namespace ropescope
