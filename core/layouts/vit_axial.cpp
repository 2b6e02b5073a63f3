#include "core/layouts/parts.h"

namespace ropescope {

using namespace layout_settings;

namespace {

constexpr AxisDefault kVitAxialAxes[] = {{"x", 32, 100}, {"y", 32, 100}};

TokenLayout arrange_vit_axial(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  set_ladders(arranged, equal_axes(layout, request, head_dim_of(layout, request, 64, 4) / 2));
  arranged.notes.emplace_back(kUncountedTokens);
  const TokenGrid grid = image_grid(layout, request);
  add_block(arranged, "image", grid, 1, {counted_ids(Along::column), counted_ids(Along::row)});
  return arranged;
}

}  // namespace

extern constinit const Layout kVitAxialLayout{.name = "vit-axial",
                                              .source = "naver-ai/rope-vit models/vit_rope.py compute_axial_cis",
                                              .axes = kVitAxialAxes,
                                              .patch = 16,
                                              .settings = kVisionSettings,
                                              .arrange = arrange_vit_axial};

}  // namespace ropescope
