#include <set>

#include "core/layouts/parts.h"

namespace ropescope {

using namespace layout_settings;

namespace {

constexpr LayoutSetting kOwnAxes{{.name = "axes", .knob = false}, &LayoutRequest::axes};
constexpr LayoutSetting kSettings[] = {kImage, kText,  kReferences, kFrames, kHeadDim,
                                       kBase,  kPatch, kOwnAxes,    kPairing};

/// The ids that a name stands for: t, row (y), column (x), l; any other name stays at 0.
std::vector<AxisIds> ids_by_name(const std::vector<LayoutAxis>& axes, const AxisIds& t, const AxisIds& row,
                                 const AxisIds& column, const AxisIds& l) {
  std::vector<AxisIds> ids;
  for (const LayoutAxis& axis : axes) {
    if (axis.name == "t") {
      ids.push_back(t);
    } else if (axis.name == "row" || axis.name == "y") {
      ids.push_back(row);
    } else if (axis.name == "column" || axis.name == "x") {
      ids.push_back(column);
    } else {
      ids.push_back(axis.name == "l" ? l : fixed_id(0));
    }
  }
  return ids;
}

std::vector<LayoutAxis> custom_axes(const Layout& layout, const LayoutRequest& request) {
  if (request.axes.empty() || request.axes.size() > 8) {
    reject(layout, "layouts.number_of_axes",
           {{"found", request.axes.size()}, {"expected", Words("expected.from_to", {{"least", 1}, {"most", 8}})}});
  }
  std::vector<LayoutAxis> axes;
  std::set<std::string> names;
  int sum = 0;
  for (const CustomAxis& axis : request.axes) {
    const bool plain = !axis.name.empty() && axis.name.find_first_of(",:\"\n\r") == std::string::npos;
    if (!plain || !names.insert(axis.name).second) {
      reject(layout, "layouts.axis_name", {{"axis", axis.name}});
    }
    if (axis.rotary_dim < 2 || axis.rotary_dim > kLargestDimension || axis.rotary_dim % 2 != 0) {
      reject(layout, "layouts.axis_channels", {{"axis", axis.name}, {"channels", axis.rotary_dim}, {"least", 2}});
    }
    sum += axis.rotary_dim;
    axes.push_back({axis.name, axis.rotary_dim, axis.base.value_or(request.base.value_or(10000))});
  }
  if (request.head_dim && *request.head_dim != sum) {
    reject(layout, "layouts.head_dim_is_sum", {{"found", *request.head_dim}, {"sum", std::to_string(sum)}});
  }
  return axes;
}

TokenLayout arrange_custom(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  arranged.pairing = request.pairing.value_or(layout.pairing);
  set_ladders(arranged, custom_axes(layout, request));
  const AxisIds zero = fixed_id(0);
  add_line(arranged, "text", request.text, ids_by_name(arranged.axes, zero, zero, zero, counted_ids(Along::token)));
  const auto image_ids = [&](const AxisIds& t) {
    return ids_by_name(arranged.axes, t, counted_ids(Along::row), counted_ids(Along::column), zero);
  };
  add_block(arranged, "image", image_grid(layout, request), request.frames, image_ids(counted_ids(Along::frame)));
  for (std::size_t i = 0; i < request.references.size(); ++i) {
    const TokenGrid grid = reference_grid(layout, request, i);
    add_block(arranged, reference_name(i), grid, 1, image_ids(fixed_id(static_cast<double>(i + 1))));
  }
  return arranged;
}

}  // namespace

/// Axes of one's own, so without a source: t counts frames (references stand at 1, 2, …), row and column the grid, l
/// the text.
extern constinit const Layout kCustomLayout{
    .name = "custom", .source = {}, .vae_factor = 8, .patch = 2, .settings = kSettings, .arrange = arrange_custom};

}  // namespace ropescope
