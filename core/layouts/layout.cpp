// The registry of layouts, access to fields and rows, the custom layout, and counterparts. Read layout.h first.
//
// Contents: Registry; Fields; Custom layout; Counterparts; Rows.

#include "core/layouts/layout.h"

#include <algorithm>
#include <set>
#include <type_traits>

#include "core/layouts/extension.h"
#include "core/layouts/parts.h"
#include "core/layouts/sizes.h"
#include "core/message.h"
#include "core/registry.h"

namespace ropescope {

// --- Registry ------------------------------------------------------------------------------------------------------

extern const Layout kTextLayout, kRasterLayout, kCustomLayout;
extern const std::span<const Layout> kImageLayouts, kVideoLayouts, kMultimodalLayouts, kVisionLayouts;

std::span<const Layout> all_layouts() {
  static const std::vector<Layout> in_their_places = [] {
    std::vector<Layout> all = {kTextLayout, kRasterLayout, kCustomLayout};
    for (const auto& some : {kImageLayouts, kVideoLayouts, kMultimodalLayouts, kVisionLayouts})
      all.insert(all.end(), some.begin(), some.end());
    std::ranges::sort(all, {}, &Layout::place);
    return all;
  }();
  return in_their_places;
}

const Layout& find_layout(std::string_view name) {
  return required_entry(all_layouts(), name, "layouts.unknown");
}

Message words_of(const Layout& layout, std::string_view what) {
  return Message("layout." + std::string(layout.name) + "." + std::string(what));
}

std::vector<LayoutField> all_layout_fields() {
  static const auto each_once = [] {
    auto fields = collect_fields<LayoutField>(all_layouts(), &Layout::settings);
    fields.insert(fields.end(), extension_fields().begin(), extension_fields().end());
    std::ranges::stable_sort(fields, {}, [](const LayoutField& field) { return field.order; });
    return fields;
  }();
  return each_once;
}

const LayoutField* find_field(const Layout& layout, std::string_view name) {
  if (const LayoutField* own = find_named_entry(layout.settings, name)) return own;
  return takes_extension(layout) ? find_named_entry(extension_fields(), name) : nullptr;
}

bool takes(const Layout& layout, std::string_view field) {
  return find_field(layout, field) != nullptr;
}

std::optional<double> shared_base(const Layout& layout) {
  if (layout.axes.empty()) return std::nullopt;
  const double base = layout.axes.front().base;
  const auto has_base = [base](const AxisDefault& axis) { return axis.base == base; };
  if (!std::all_of(layout.axes.begin(), layout.axes.end(), has_base)) return std::nullopt;
  return base;
}

// --- Fields --------------------------------------------------------------------------------------------------------

using namespace layout_settings;

namespace {

constexpr std::int64_t kMaxLayoutRows = std::int64_t{1} << 27;
constexpr std::size_t kMaxReferences = 1000;

/// Returns the text of this kind for a field; a field without a member has its own name.
Message called(const LayoutField& field, std::string_view kind, std::string_view name) {
  if (std::holds_alternative<std::monostate>(field.member)) return verbatim(field.name);
  return Message("layouts." + std::string(kind) + "." + std::string(name));
}

void check_field_numbers(const Layout& layout, const LayoutRequest& request) {
  for (const LayoutField& declared : all_layout_fields()) {
    const LayoutField* taken = find_field(layout, declared.name);
    if (!taken) continue;
    const LayoutField& field = *taken;
    const std::optional<double> found = is_given(request, field) ? value_of(request, field) : std::nullopt;
    if (!found || (field.traits & kCheckedByLayout) != 0 || is_valid(field, *found)) continue;
    reject(
        layout, "layouts.value",
        {{"what", called(field, "value", field.name)}, {"found", *found}, {"expected", describe_valid_values(field)}});
  }
  if (request.references.size() > kMaxReferences) {
    reject(layout, "layouts.references", {{"found", request.references.size()}, {"most", kMaxReferences}});
  }
}

template <class Value>
constexpr bool is_optional_number =
    std::is_same_v<Value, std::optional<int>> || std::is_same_v<Value, std::optional<double>>;

// --- Custom layout -------------------------------------------------------------------------------------------------

constexpr LayoutField kOwnAxes{{.name = "axes", .has_control = false}, &LayoutRequest::axes};
/// For vision towers: patches come block by block (Profile::merge).
constexpr LayoutField kMerge{
    {.name = "merge", .minimum = 1, .maximum = 64, .initial = 1, .whole = true, .has_control = false},
    {},
    {},
    kNoOption};
constexpr LayoutField kCustomFields[] = {kImage, kText,  kReferences, kFrames,  kHeadDim,
                                         kBase,  kPatch, kOwnAxes,    kPairing, kMerge};

/// Returns the ids for each axis name: t, row (y), column (x), l; any other name stays at 0.
std::vector<AxisIds> ids_by_name(const std::vector<LayoutAxis>& axes, const AxisIds& t, const AxisIds& row,
                                 const AxisIds& column, const AxisIds& l) {
  const std::pair<std::string_view, const AxisIds&> by_name[] = {{"t", t},           {"row", row},  {"y", row},
                                                                 {"column", column}, {"x", column}, {"l", l}};
  std::vector<AxisIds> ids;
  for (const LayoutAxis& axis : axes) {
    const auto named = std::ranges::find_if(by_name, [&](const auto& one) { return one.first == axis.name; });
    ids.push_back(named == std::end(by_name) ? fixed_id(0) : named->second);
  }
  return ids;
}

std::vector<LayoutAxis> custom_axes(const Layout& layout, const LayoutRequest& request) {
  if (request.axes.empty() || request.axes.size() > 8) {
    reject(layout, "layouts.number_of_axes",
           {{"found", request.axes.size()}, {"expected", Message("expected.from_to", {{"least", 1}, {"most", 8}})}});
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

/// Returns the row or column ids of patches in blocks of m × m, block by block, row by row within each.
AxisIds merge_ids(const TokenGrid& grid, int merge, bool rows) {
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

/// Adds each frame as a line of tokens: no counter of rows or columns gives their ids.
void add_merged(const Layout& layout, TokenLayout& arranged, const TokenGrid& grid, int frames, int merge) {
  if (grid.rows % merge != 0 || grid.columns % merge != 0) {
    reject(layout, "layouts.merged_grid", {{"rows", grid.rows}, {"columns", grid.columns}, {"merge", merge}});
  }
  const AxisIds rows = merge_ids(grid, merge, true), columns = merge_ids(grid, merge, false);
  for (int frame = 0; frame < frames; ++frame) {
    add_line(arranged, "image", static_cast<std::int64_t>(grid.rows) * grid.columns,
             ids_by_name(arranged.axes, fixed_id(frame), rows, columns, fixed_id(0)));
  }
}

TokenLayout arrange_custom(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout, request, custom_axes(layout, request));
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

// --- Counterparts --------------------------------------------------------------------------------------------------

ImageSize grid_of_block(const TokenBlock& block) {
  return ImageSize::tokens(block.rows, static_cast<int>(block.columns));
}

Message grid_words(const TokenBlock& block) {
  const Message grid("layouts.grid", {{"rows", block.rows}, {"columns", block.columns}});
  return block.frames == 1 ? grid : Message("layouts.frames_of", {{"frames", block.frames}, {"grid", grid}});
}

void copy_field(const LayoutRequest& from, const LayoutField& field, LayoutRequest& to) {
  std::visit(
      [&](auto member) {
        if constexpr (std::is_same_v<decltype(member), std::monostate>) {
          if (const auto value = value_of(from, field)) set_value(to, field, *value);
        } else {
          to.*member = from.*member;
        }
      },
      field.member);
}

/// Returns whether the layout can arrange a single token with the requested head dimension.
bool can_have_head_dim(const Layout& layout, const LayoutRequest& asked) {
  if (!asked.head_dim || !takes(layout, "head_dim")) return false;
  LayoutRequest request;
  request.image = ImageSize::tokens(1, 1);
  request.head_dim = asked.head_dim;
  if (takes(layout, "axes")) request.axes = asked.axes;
  try {
    arrange(layout, request);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

int count_token_frames(const Layout& layout, int video_frames) {
  const int factor = layout.frame_factor;
  if (factor == 1) reject(layout, "layouts.no_video", {});
  if (layout.any_frames && video_frames >= 1) {
    const int alone = video_frames % 2;
    return (video_frames - alone + factor - 1) / factor + alone;
  }
  if (video_frames >= 1 && (video_frames - 1) % factor == 0) return (video_frames - 1) / factor + 1;
  const int below = std::max(0, video_frames - 1) / factor * factor + 1;
  reject(layout, "layouts.video_frames",
         {{"frames", video_frames}, {"factor", factor}, {"below", below}, {"above", below + factor}});
}

int pixels_per_token(const Layout& layout, const LayoutRequest& request) {
  return takes(layout, "patch") && request.patch ? *request.patch : layout.vae_factor * layout.patch;
}

std::optional<double> value_of(const LayoutRequest& request, const LayoutField& field) {
  return std::visit(
      [&](auto member) -> std::optional<double> {
        if constexpr (std::is_same_v<decltype(member), std::monostate>) {
          const auto given = request.numbers.find(field.name);
          return given == request.numbers.end() ? field.initial : given->second;
        } else {
          using Value = std::decay_t<decltype(request.*member)>;
          if constexpr (std::is_arithmetic_v<Value>) return static_cast<double>(request.*member);
          if constexpr (is_optional_number<Value>) return request.*member;
          return std::nullopt;
        }
      },
      field.member);
}

void set_value(LayoutRequest& request, const LayoutField& field, double value) {
  std::visit(
      [&](auto member) {
        if constexpr (std::is_same_v<decltype(member), std::monostate>) {
          request.numbers[std::string(field.name)] = value;
        } else {
          using Value = std::decay_t<decltype(request.*member)>;
          if constexpr (std::is_arithmetic_v<Value>) request.*member = static_cast<Value>(value);
          if constexpr (is_optional_number<Value>) request.*member = static_cast<typename Value::value_type>(value);
        }
      },
      field.member);
}

bool is_given(const LayoutRequest& request, const LayoutField& field) {
  return std::visit(
      [&](auto member) {
        if constexpr (std::is_same_v<decltype(member), std::monostate>) {
          return request.numbers.contains(field.name);
        } else if constexpr (std::is_same_v<decltype(member), Eigen::MatrixXd LayoutRequest::*>) {
          return (request.*member).size() != 0;
        } else {
          return request.*member != LayoutRequest().*member;
        }
      },
      field.member);
}

TokenLayout arrange(const Layout& layout, const LayoutRequest& request) {
  for (const LayoutField& field : all_layout_fields()) {
    if (takes(layout, field.name) || !is_given(request, field)) continue;
    const std::string_view name = field.of.empty() ? field.name : field.of;
    reject(layout, "layouts.not_taken", {{"setting", called(field, "setting", name)}});
  }
  check_field_numbers(layout, request);
  if (takes(layout, "image") && !request.image) reject(layout, "layouts.no_size", {});
  std::vector<Message> notes;
  TokenLayout arranged = layout.arrange(layout, apply_pipeline_size(layout, request, notes));
  arranged.notes.insert(arranged.notes.end(), notes.begin(), notes.end());
  if (takes_extension(layout)) extend(layout, request, arranged);
  if (arranged.row_count() < 1) reject(layout, "layouts.no_tokens", {});
  if (arranged.row_count() > kMaxLayoutRows) {
    reject(layout, "layouts.too_many_tokens", {{"tokens", arranged.row_count()}, {"most", kMaxLayoutRows}});
  }
  return arranged;
}

/// Custom axes, hence without a source: t counts frames (references are at 1, 2, …), row and column the grid, l the
/// text.
extern constinit const Layout kCustomLayout{.name = "custom",
                                            .place = 220,
                                            .source = {},
                                            .vae_factor = 8,
                                            .patch = 2,
                                            .settings = kCustomFields,
                                            .arrange = arrange_custom};

// --- Rows ----------------------------------------------------------------------------------------------------------

std::int64_t TokenLayout::row_count() const {
  return blocks.empty() ? 0 : blocks.back().first_row + blocks.back().count();
}

std::int64_t TokenBlock::count(Along along) const {
  switch (along) {
    case Along::none:
      return 1;
    case Along::token:
      return count();
    case Along::frame:
      return frames;
    case Along::row:
      return rows;
    case Along::column:
      return columns;
  }
  return 1;
}

void require_rows(const TokenLayout& layout, std::int64_t first, std::int64_t count) {
  if (first >= 0 && count >= 0 && first <= layout.row_count() && count <= layout.row_count() - first) return;
  reject(layout.name, "layouts.rows", {{"first", first}, {"count", count}, {"last", layout.row_count() - 1}});
}

std::int64_t value_index(const TokenBlock& block, Along along, const TokenPlace& place) {
  switch (along) {
    case Along::none:
      return 0;
    case Along::token:
      return (static_cast<std::int64_t>(place.frame) * block.rows + place.row) * block.columns + place.column;
    case Along::frame:
      return place.frame;
    case Along::row:
      return place.row;
    case Along::column:
      return place.column;
  }
  return 0;
}

TokenPlace place_of(const TokenLayout& layout, std::int64_t row) {
  const auto after =
      std::upper_bound(layout.blocks.begin(), layout.blocks.end(), row,
                       [](std::int64_t value, const TokenBlock& block) { return value < block.first_row; });
  const TokenBlock& block = *std::prev(after);
  const std::int64_t offset = row - block.first_row;
  TokenPlace place;
  place.block = static_cast<std::size_t>(std::prev(after) - layout.blocks.begin());
  place.column = offset % block.columns;
  place.row = static_cast<int>(offset / block.columns % block.rows);
  place.frame = static_cast<int>(offset / block.columns / block.rows);
  place.token = block.first_token + offset;
  return place;
}

std::vector<double> ids_of(const TokenLayout& layout, std::int64_t row) {
  require_rows(layout, row, 1);
  const TokenPlace place = place_of(layout, row);
  const TokenBlock& block = layout.blocks[place.block];
  std::vector<double> ids;
  for (const AxisIds& axis : block.ids) {
    ids.push_back(axis.at(value_index(block, axis.along, place)));
  }
  return ids;
}

Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> id_rows(const TokenLayout& layout,
                                                                               std::int64_t first, std::int64_t count) {
  require_rows(layout, first, count);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> ids(
      count, static_cast<Eigen::Index>(layout.axes.size()));
  for (std::int64_t i = 0; i < count; ++i) {
    const TokenPlace place = place_of(layout, first + i);
    const TokenBlock& block = layout.blocks[place.block];
    for (std::size_t axis = 0; axis < block.ids.size(); ++axis) {
      ids(i, static_cast<Eigen::Index>(axis)) = block.ids[axis].at(value_index(block, block.ids[axis].along, place));
    }
  }
  return ids;
}

// --- Counterparts --------------------------------------------------------------------------------------------------

const TokenBlock& image_block(const TokenLayout& arranged) {
  const auto found = std::find_if(arranged.blocks.begin(), arranged.blocks.end(),
                                  [](const TokenBlock& block) { return block.is_image(); });
  if (found != arranged.blocks.end()) return *found;
  reject(arranged.name, "layouts.no_image", {});
}

LayoutRequest counterpart_request(const TokenLayout& arranged, const LayoutRequest& asked, const Layout& other) {
  if (!takes(other, "image")) reject(other, "layouts.no_image", {});
  LayoutRequest request;
  for (const LayoutField& field : other.settings) {
    if ((field.traits & kNotForCounterpart) == 0) copy_field(asked, field, request);
  }
  request.image = grid_of_block(image_block(arranged));
  if (can_have_head_dim(other, asked)) request.head_dim = asked.head_dim;
  if (!takes(other, "references")) return request;
  for (const TokenBlock& block : arranged.blocks) {
    if (block.is_reference()) request.references.push_back(grid_of_block(block));
  }
  return request;
}

void require_same_image(const TokenLayout& arranged, const TokenLayout& other) {
  const TokenBlock &image = image_block(arranged), &against = image_block(other);
  if (image.frames == against.frames && image.rows == against.rows && image.columns == against.columns) return;
  reject(other.name, "layouts.other_image",
         {{"found", grid_words(against)}, {"expected", grid_words(image)}, {"other", arranged.name}});
}

}  // namespace ropescope
