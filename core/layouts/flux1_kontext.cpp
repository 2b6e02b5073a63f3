#include <cmath>

#include "core/layouts/parts.h"

namespace ropescope {

using namespace layout_settings;

namespace {

constexpr AxisDefault kFlux1KontextAxes[] = {{"t", 16, 10000}, {"row", 56, 10000}, {"column", 56, 10000}};

/// Width and height in pixels of the reference images that the model was trained with.
constexpr int kPreferred[][2] = {{672, 1568}, {688, 1504}, {720, 1456},  {752, 1392}, {800, 1328}, {832, 1248},
                                 {880, 1184}, {944, 1104}, {1024, 1024}, {1104, 944}, {1184, 880}, {1248, 832},
                                 {1328, 800}, {1392, 752}, {1456, 720},  {1504, 688}, {1568, 672}};

/// As released: the preferred size of the nearest width to height, the narrower of two equally near ones.
TokenGrid snap(const Layout& layout, const LayoutRequest& request, const ImageSize& size, std::vector<Words>& notes) {
  if (!size.in_pixels) return reference_grid(layout, request, 0);
  if (size.rows < 1 || size.columns < 1 || size.rows > 65536 || size.columns > 65536) {
    reject(layout, "layouts.reference_pixels", {{"width", size.columns}, {"height", size.rows}});
  }
  const double aspect = static_cast<double>(size.columns) / size.rows;
  const int* nearest = nullptr;
  double distance = INFINITY;
  for (const auto& preferred : kPreferred) {
    const double of_this = std::abs(aspect - static_cast<double>(preferred[0]) / preferred[1]);
    if (of_this < distance) {
      distance = of_this;
      nearest = preferred;
    }
  }
  const TokenGrid grid{nearest[1] / 16, nearest[0] / 16};
  if (size.columns != nearest[0] || size.rows != nearest[1]) {
    notes.push_back(Words("layouts.note.resized_reference", {{"width", size.columns},
                                                             {"height", size.rows},
                                                             {"new_width", nearest[0]},
                                                             {"new_height", nearest[1]},
                                                             {"rows", grid.rows},
                                                             {"columns", grid.columns}}));
  }
  return grid;
}

TokenLayout arrange_kontext(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  set_ladders(arranged, listed_axes(layout, request));
  if (request.references.size() > 1) {
    reject(layout, "layouts.one_reference", {{"count", request.references.size()}});
  }
  add_line(arranged, "text", request.text, {fixed_id(0), fixed_id(0), fixed_id(0)});
  const TokenGrid image = image_grid(layout, request);
  add_block(arranged, "image", image, 1, {fixed_id(0), counted_ids(Along::row), counted_ids(Along::column)});
  if (!request.references.empty()) {
    const TokenGrid grid = snap(layout, request, request.references[0], arranged.notes);
    add_block(arranged, reference_name(0), grid, 1, {fixed_id(1), counted_ids(Along::row), counted_ids(Along::column)});
  }
  return arranged;
}

}  // namespace

/// A reference size in pixels is snapped to the preferred sizes; one in tokens is taken as it is.
extern constinit const Layout kFlux1KontextLayout{
    .name = "flux.1-kontext",
    .source = "black-forest-labs/flux src/flux/sampling.py prepare_kontext, util.py PREFERED_KONTEXT_RESOLUTIONS",
    .axes = kFlux1KontextAxes,
    .vae_factor = 8,
    .patch = 2,
    .settings = kReferenceSettings,
    .arrange = arrange_kontext};

}  // namespace ropescope
