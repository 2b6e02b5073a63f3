// Building blocks of layouts, and the layouts of text and rasters. Read parts.h first.
//
// Contents: Axes and parts; Text; Rasters.

#include "core/layouts/parts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/layouts/layout.h"
#include "core/layouts/sizes.h"
#include "core/rotary/rotation.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Axes and parts ------------------------------------------------------------------------------------------------

void reject(std::string_view layout, std::string_view key, std::initializer_list<Message::Named> values) {
  throw InputError(layout, key, values);
}

using namespace layout_settings;

namespace {

/// Returns what the released pipeline does with a size that does not divide: a clause after the expected value, or an
/// empty one if no pipeline is known.
Message describe_pipeline(const Layout& layout, const LayoutRequest& request, const ImageSize& size) {
  const auto released = released_size(layout, request, size);
  if (!released) return verbatim("");
  return {is_refused(layout, size) ? "layouts.pipeline_refuses" : "layouts.pipeline_makes",
          {{"width", released->columns}, {"height", released->rows}}};
}

/// Returns the nearest multiples of `step` below and above `length` (or equal to it), within 1 … kMaxPixels.
std::vector<int> nearest_multiples(int length, int step) {
  std::vector<int> nearest;
  const int below = length / step * step, above = (length + step - 1) / step * step;
  if (below >= step) nearest.push_back(below);
  if (above != below && above <= 8192) nearest.push_back(above);
  return nearest;
}

// --- Text ----------------------------------------------------------------------------------------------------------

constexpr AxisDefault kTextAxes[] = {{"position", 128, 10000}};
constexpr PlainPart kTextParts[] = {{PlainPart::text, {kAtToken}}};
constexpr LayoutField kTextFields[] = {kText, kHeadDim, kBase, kPairing};

// --- Rasters -------------------------------------------------------------------------------------------------------

constexpr LayoutField kRasterFields[] = {kImage, kText, kReferences, kFrames, kHeadDim, kBase, kPatch, kPairing};

TokenLayout arrange_raster(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout, request, shared_axes(layout, request));
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

TokenGrid grid_of(const Layout& layout, const LayoutRequest& request, const ImageSize& size, const Message& what) {
  constexpr int kLongest = 8192;
  if (size.rows < 1 || size.columns < 1 || size.rows > kLongest || size.columns > kLongest) {
    reject(layout, size.in_pixels ? "layouts.size_pixels" : "layouts.size_tokens",
           {{"what", what}, {"rows", size.rows}, {"columns", size.columns}, {"most", kLongest}});
  }
  if (!size.in_pixels) return {size.rows, size.columns};
  const int step = pixels_per_token(layout, request);
  if (size.rows % step == 0 && size.columns % step == 0) return {size.rows / step, size.columns / step};
  std::vector<std::string> nearest;
  for (const int height : nearest_multiples(size.rows, step)) {
    for (const int width : nearest_multiples(size.columns, step)) {
      nearest.push_back(std::to_string(width) + "x" + std::to_string(height));
    }
  }
  reject(layout, "layouts.does_not_divide",
         {{"what", what},
          {"rows", size.rows},
          {"columns", size.columns},
          {"step", step},
          {"nearest", one_of(nearest)},
          {"pipeline", describe_pipeline(layout, request, size)}});
}

TokenGrid image_grid(const Layout& layout, const LayoutRequest& request) {
  return grid_of(layout, request, *request.image, Message("layouts.image"));
}

TokenGrid reference_grid(const Layout& layout, const LayoutRequest& request, std::size_t index) {
  return grid_of(layout, request, request.references[index], Message("layouts.reference", {{"number", index + 1}}));
}

TokenLayout begin_layout(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged;
  arranged.name = layout.name;
  arranged.pairing = request.pairing.value_or(layout.pairing);
  arranged.table_mismatch = layout.table_mismatch;
  arranged.halves_by_axis = layout.halves_by_axis;
  if (layout.has_quirk) arranged.notes.push_back(words_of(layout, "quirk"));
  return arranged;
}

int read_head_dim(const Layout& layout, const LayoutRequest& request, int fallback, int multiple) {
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

std::vector<LayoutAxis> shared_axes(const Layout& layout, const LayoutRequest& request) {
  int sum = 0;
  for (const AxisDefault& axis : layout.axes) sum += axis.rotary_dim;
  const auto count = static_cast<int>(layout.axes.size());
  return equal_axes(layout, request, read_head_dim(layout, request, sum, 2 * count) / count);
}

std::vector<LayoutAxis> equal_axes(const Layout& layout, const LayoutRequest& request, int dim_per_axis) {
  std::vector<LayoutAxis> axes;
  for (const AxisDefault& axis : layout.axes) {
    axes.push_back({std::string(axis.name), dim_per_axis, request.base.value_or(axis.base)});
  }
  return axes;
}

TokenLayout begin_layout(const Layout& layout, const LayoutRequest& request, std::vector<LayoutAxis> axes) {
  TokenLayout arranged = begin_layout(layout, request);
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
  return arranged;
}

void deal_by_turns(TokenLayout& arranged, const Eigen::VectorXd& ladder, Eigen::Index first) {
  const auto count = static_cast<Eigen::Index>(arranged.axes.size());
  arranged.frequencies = Eigen::MatrixXd::Zero(count, ladder.size());
  for (LayoutAxis& axis : arranged.axes) axis.rotary_dim = 0;
  for (Eigen::Index pair = 0; pair < ladder.size(); ++pair) {
    const Eigen::Index owner = (first + pair) % count;
    arranged.frequencies(owner, pair) = ladder[pair];
    if (ladder[pair] != 0) arranged.axes[static_cast<std::size_t>(owner)].rotary_dim += 2;
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

TokenLayout arrange_parts(const Layout& layout, const LayoutRequest& request, std::vector<LayoutAxis> axes,
                          std::span<const PlainPart> parts) {
  TokenLayout arranged = begin_layout(layout, request, std::move(axes));
  const auto ids_of = [&](const PlainPart& part, std::size_t index) {
    std::vector<AxisIds> ids;
    for (const PlainId& id : std::span(part.ids).first(arranged.axes.size())) {
      ids.push_back(counted_ids(id.along, id.first + static_cast<double>(id.after_text ? request.text : 0) +
                                              id.step * static_cast<double>(index)));
    }
    return ids;
  };
  for (const PlainPart& part : parts) {
    if (!part.at_most_one || request.references.size() <= 1) continue;
    reject(layout, "layouts.one_reference", {{"count", request.references.size()}});
  }
  for (const PlainPart& part : parts) {
    if (part.kind == PlainPart::text) add_line(arranged, "text", request.text, ids_of(part, 0));
    if (part.kind == PlainPart::image)
      add_block(arranged, "image", image_grid(layout, request), request.frames, ids_of(part, 0));
    for (std::size_t i = 0; part.kind == PlainPart::references && i < request.references.size(); ++i) {
      add_block(arranged, reference_name(i), reference_grid(layout, request, i), 1, ids_of(part, i));
    }
  }
  return arranged;
}

// clang-format off
/// Text tokens with consecutive positions.
extern constinit const Layout kTextLayout{.name = "text", .place = 10,
    .source = "RoFormer, arXiv 2104.09864, section 3.2", .axes = kTextAxes, .settings = kTextFields,
    .arrange = arrange_plain<kTextParts, shared_axes>};

/// The image as one line of tokens, row after row, in contrast to FLUX.
extern constinit const Layout kRasterLayout{.name = "raster", .place = 20,
    .source = "RoFormer, arXiv 2104.09864, section 3.2, over the tokens of an image", .axes = kTextAxes,
    .vae_factor = 8, .patch = 2, .settings = kRasterFields, .arrange = arrange_raster};
// clang-format on

}  // namespace ropescope
