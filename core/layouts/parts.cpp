#include "core/layouts/parts.h"

#include <numeric>

#include "core/rotary/frequencies.h"

namespace ropescope {

TokenGrid image_grid(const Layout& layout, const LayoutRequest& request) {
  return grid_of(layout, request, *request.image, Words("layouts.image"));
}

TokenGrid reference_grid(const Layout& layout, const LayoutRequest& request, std::size_t index) {
  return grid_of(layout, request, request.references[index], Words("layouts.reference", {{"number", index + 1}}));
}

TokenLayout begin_layout(const Layout& layout) {
  TokenLayout arranged;
  arranged.name = layout.name;
  arranged.pairing = layout.pairing;
  if (layout.has_quirk) arranged.notes.push_back(words_of(layout, "quirk"));
  return arranged;
}

int head_dim_of(const Layout& layout, const LayoutRequest& request, int fallback, int multiple) {
  const int dim = request.head_dim.value_or(fallback);
  if (dim < multiple || dim > kLargestDimension || dim % multiple != 0) {
    reject(layout, "layouts.head_dim", {{"found", dim}, {"multiple", multiple}});
  }
  return dim;
}

std::vector<LayoutAxis> listed_axes(const Layout& layout, const LayoutRequest& request) {
  std::vector<LayoutAxis> axes;
  for (const AxisDefault& axis : layout.axes) {
    axes.push_back({std::string(axis.name), axis.rotary_dim, request.base.value_or(axis.base)});
  }
  if (!request.axis_dims.empty()) {
    if (request.axis_dims.size() != axes.size()) {
      reject(layout, "layouts.number_of_axes",
             {{"found", request.axis_dims.size()}, {"expected", std::to_string(axes.size())}});
    }
    for (std::size_t i = 0; i < axes.size(); ++i) axes[i].rotary_dim = request.axis_dims[i];
  }
  int sum = 0;
  std::string dims;
  for (const LayoutAxis& axis : axes) {
    if (axis.rotary_dim < 0 || axis.rotary_dim > kLargestDimension || axis.rotary_dim % 2 != 0) {
      reject(layout, "layouts.axis_channels", {{"axis", axis.name}, {"channels", axis.rotary_dim}, {"least", 0}});
    }
    sum += axis.rotary_dim;
    dims += (dims.empty() ? "" : " + ") + std::to_string(axis.rotary_dim);
  }
  if (sum == 0) reject(layout, "layouts.no_channels", {});
  if (request.head_dim && *request.head_dim != sum) {
    reject(layout, "layouts.head_dim_is_sum",
           {{"found", *request.head_dim}, {"sum", dims + " = " + std::to_string(sum)}});
  }
  return axes;
}

std::vector<LayoutAxis> equal_axes(const Layout& layout, const LayoutRequest& request, int dim_per_axis) {
  std::vector<LayoutAxis> axes;
  for (const AxisDefault& axis : layout.axes) {
    axes.push_back({std::string(axis.name), dim_per_axis, request.base.value_or(axis.base)});
  }
  return axes;
}

void set_ladders(TokenLayout& arranged, std::vector<LayoutAxis> axes) {
  const int channels = std::accumulate(axes.begin(), axes.end(), 0,
                                       [](int sum, const LayoutAxis& axis) { return sum + axis.rotary_dim; });
  arranged.axes = std::move(axes);
  const auto count = static_cast<Eigen::Index>(arranged.axes.size());
  arranged.frequencies = Eigen::MatrixXd::Zero(count, channels / 2);
  Eigen::Index first = 0;
  for (Eigen::Index i = 0; i < count; ++i) {
    const LayoutAxis& axis = arranged.axes[static_cast<std::size_t>(i)];
    if (axis.rotary_dim == 0) continue;
    arranged.frequencies.row(i).segment(first, axis.rotary_dim / 2) =
        plain_frequencies(axis.rotary_dim, axis.base).transpose();
    first += axis.rotary_dim / 2;
  }
}

AxisIds fixed_id(double id) {
  return {Along::none, id, {}};
}

AxisIds counted_ids(Along along, double first) {
  return {along, first, {}};
}

void add_block(TokenLayout& arranged, std::string part, TokenGrid grid, int frames, std::vector<AxisIds> ids) {
  TokenBlock block;
  block.part = std::move(part);
  block.frames = frames;
  block.rows = grid.rows;
  block.columns = grid.columns;
  block.ids = std::move(ids);
  if (!arranged.blocks.empty()) {
    const TokenBlock& last = arranged.blocks.back();
    block.first_row = last.first_row + last.count();
    block.first_token = last.first_token + last.count();
  }
  arranged.blocks.push_back(std::move(block));
}

void add_line(TokenLayout& arranged, std::string part, std::int64_t count, std::vector<AxisIds> ids) {
  if (count == 0) return;
  add_block(arranged, std::move(part), {}, 1, std::move(ids));
  arranged.blocks.back().columns = count;
}

void shift_tokens(TokenLayout& arranged, std::int64_t count) {
  for (TokenBlock& block : arranged.blocks) block.first_token += count;
}

std::string reference_name(std::size_t index) {
  return "reference" + std::to_string(index + 1);
}

}  // namespace ropescope
