#include <set>

#include "core/layouts/parts.h"

namespace ropescope {

using namespace layout_settings;

namespace {

constexpr LayoutSetting kOwnAxes{{.name = "axes", .knob = false}, &LayoutRequest::axes};
/// Of a vision tower: its patches come block by block (Profile::merge).
constexpr LayoutSetting kMerge{
    {.name = "merge", .minimum = 1, .maximum = 64, .initial = 1, .whole = true, .knob = false}, {}, {}, kNoOption};
constexpr LayoutSetting kCustomSettings[] = {kImage, kText,  kReferences, kFrames,  kHeadDim,
                                             kBase,  kPatch, kOwnAxes,    kPairing, kMerge};

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

/// The ids along rows or columns of patches that come in blocks of m × m, block after block, row by row within each.
AxisIds merged_ids(const TokenGrid& grid, int merge, bool rows) {
  AxisIds ids{Along::token, 0, {}};
  ids.listed.reserve(static_cast<std::size_t>(grid.rows) * static_cast<std::size_t>(grid.columns));
  for (int top = 0; top < grid.rows; top += merge) {
    for (int left = 0; left < grid.columns; left += merge) {
      for (int within = 0; within < merge * merge; ++within) {
        ids.listed.push_back(rows ? top + within / merge : left + within % merge);
      }
    }
  }
  return ids;
}

/// A frame is a line of tokens then: no counter of rows or columns gives their ids.
void add_merged(const Layout& layout, TokenLayout& arranged, const TokenGrid& grid, int frames, int merge) {
  if (grid.rows % merge != 0 || grid.columns % merge != 0) {
    reject(layout, "layouts.merged_grid", {{"rows", grid.rows}, {"columns", grid.columns}, {"merge", merge}});
  }
  const AxisIds rows = merged_ids(grid, merge, true), columns = merged_ids(grid, merge, false);
  for (int frame = 0; frame < frames; ++frame) {
    add_line(arranged, "image", static_cast<std::int64_t>(grid.rows) * grid.columns,
             ids_by_name(arranged.axes, fixed_id(frame), rows, columns, fixed_id(0)));
  }
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
  const auto merge = static_cast<int>(value_of(request, kMerge).value_or(1));
  if (merge > 1) {
    add_merged(layout, arranged, image_grid(layout, request), request.frames, merge);
  } else {
    add_block(arranged, "image", image_grid(layout, request), request.frames, image_ids(counted_ids(Along::frame)));
  }
  for (std::size_t i = 0; i < request.references.size(); ++i) {
    const TokenGrid grid = reference_grid(layout, request, i);
    add_block(arranged, reference_name(i), grid, 1, image_ids(fixed_id(static_cast<double>(i + 1))));
  }
  return arranged;
}

}  // namespace

/// Axes of one's own, so without a source: t counts frames (references stand at 1, 2, …), row and column the grid, l
/// the text.
extern constinit const Layout kCustomLayout{.name = "custom",
                                            .source = {},
                                            .vae_factor = 8,
                                            .patch = 2,
                                            .settings = kCustomSettings,
                                            .arrange = arrange_custom};

}  // namespace ropescope
