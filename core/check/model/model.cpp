// Token orders, and the model evaluated row by row: implementation of model.h; read it first.
//
// Contents: Order of tokens; Model.

#include "core/check/model/model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/check/model/ladders.h"
#include "core/check/tuning.h"
#include "core/layouts/layout.h"
#include "core/message.h"
#include "core/precision/precision.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Order of tokens -----------------------------------------------------------------------------------------------

namespace {

constexpr int kSide = 2;  ///< side of a window, in tokens
constexpr std::string_view kParts[] = {"all", "text", "image", "reference", "audio"};

constexpr NamedOrder kOrders[] = {
    {TokenOrder::column_major, "column-major", true},
    {TokenOrder::serpentine, "serpentine", true},
    {TokenOrder::row_column_frame, "frames-fastest", true},
    {TokenOrder::column_row_frame, "column-row-frame", false},
    {TokenOrder::row_frame_column, "row-frame-column", false},
    {TokenOrder::column_frame_row, "column-frame-row", false},
    {TokenOrder::bottom_up, "bottom-up", false},
    {TokenOrder::right_to_left, "right-to-left", false},
    {TokenOrder::backwards, "backwards", false},
    {TokenOrder::frames_backwards, "frames-backwards", false},
    {TokenOrder::windows, "windows-2x2", false},
};

/// Returns the place with number `index` if the counters nest as specified, slowest first: 0 frame, 1 row, 2 column.
TokenPlace find_nested_place(const TokenBlock& block, const std::array<int, 3>& nesting, std::int64_t index,
                             TokenPlace place) {
  const std::array<std::int64_t, 3> counts = {block.frames, block.rows, block.columns};
  std::array<std::int64_t, 3> at{};
  for (std::size_t i = nesting.size(); i-- > 0;) {
    const auto counter = static_cast<std::size_t>(nesting[i]);
    at[counter] = index % counts[counter];
    index /= counts[counter];
  }
  place.frame = static_cast<int>(at[0]);
  place.row = static_cast<int>(at[1]);
  place.column = at[2];
  return place;
}

TokenPlace in_windows(const TokenBlock& block, TokenPlace place) {
  const std::int64_t index = place.row * block.columns + place.column, window = index / (kSide * kSide);
  const std::int64_t across = block.columns / kSide, inside = index % (kSide * kSide);
  place.row = static_cast<int>(window / across * kSide + inside / kSide);
  place.column = window % across * kSide + inside % kSide;
  return place;
}

/// Returns the place whose ids a program that traverses in `order` gives to the token that the model has at `place`.
TokenPlace to_walked_place(TokenOrder order, const TokenBlock& block, TokenPlace place) {
  if (!can_stand_in(order, block)) return place;
  const std::int64_t index =
      (static_cast<std::int64_t>(place.frame) * block.rows + place.row) * block.columns + place.column;
  switch (order) {
    case TokenOrder::row_major:
      break;
    case TokenOrder::column_major:
      return find_nested_place(block, {0, 2, 1}, index, place);
    case TokenOrder::row_column_frame:
      return find_nested_place(block, {1, 2, 0}, index, place);
    case TokenOrder::column_row_frame:
      return find_nested_place(block, {2, 1, 0}, index, place);
    case TokenOrder::row_frame_column:
      return find_nested_place(block, {1, 0, 2}, index, place);
    case TokenOrder::column_frame_row:
      return find_nested_place(block, {2, 0, 1}, index, place);
    case TokenOrder::serpentine:
      if (place.row % 2 == 1) place.column = block.columns - 1 - place.column;
      break;
    case TokenOrder::bottom_up:
      place.row = block.rows - 1 - place.row;
      break;
    case TokenOrder::right_to_left:
      place.column = block.columns - 1 - place.column;
      break;
    case TokenOrder::backwards:
      place.row = block.rows - 1 - place.row;
      place.column = block.columns - 1 - place.column;
      break;
    case TokenOrder::frames_backwards:
      place.frame = block.frames - 1 - place.frame;
      break;
    case TokenOrder::windows:
      return in_windows(block, place);
  }
  return place;
}

// --- Model ---------------------------------------------------------------------------------------------------------

constexpr Eigen::Index kSeveral = -1, kNone = -2;  ///< in place of the axis that rotates a pair
constexpr int kMaxAxes = 16;
/// Maximum error of a float32 product of id and frequency, relative to its size.
constexpr double kOfProduct = 2e-6;

/// Returns the size of the numbers that ids near 0 were computed from: 1 for fractional coordinates from −1 to 1.
double least_size(const TokenLayout& tokens, std::size_t axis) {
  for (const TokenBlock& block : tokens.blocks) {
    for (const double id : block.ids[axis].listed) {
      if (id != std::floor(id)) return 1;
    }
  }
  return 0;
}

/// Returns the id of a counter value; values past the listed ids continue with the last step.
double id_or_beyond(const AxisIds& ids, std::int64_t value) {
  const auto count = static_cast<std::int64_t>(ids.listed.size());
  if (count == 0 || value < count) return ids.at(value);
  const double step = count > 1 ? ids.at(count - 1) - ids.at(count - 2) : 1;
  return ids.at(count - 1) + static_cast<double>(value - count + 1) * step;
}

/// Returns the layout's name; a single rotary embedding has none.
Message name_of_layout(const TokenLayout& tokens) {
  return tokens.name.empty() ? Message("check.rope") : verbatim(tokens.name);
}

/// Sets the length to the number of tokens if neither length nor positions are given: beyond the trained length, some
/// methods have another ladder.
void take_length(const CheckReference& reference, std::int64_t tokens, CheckModel& model) {
  const RotarySpec& spec = *reference.rope;
  if (reference.length || reference.positions || !find_scaling_method(spec.extension.method).depends_on_length) return;
  const auto length = static_cast<double>(tokens);
  if (!(length > spec.trained_length.value_or(length))) return;
  const RopeLadders ladders = rope_ladders(spec, length);
  model.length = length;
  model.tokens.frequencies = ladders.frequencies;
  model.amplitude = ladders.amplitude;
}

/// Removes the rows outside of a range.
void keep_stretches(std::pair<std::int64_t, std::int64_t> kept, CheckModel& model) {
  std::vector<std::pair<std::int64_t, std::int64_t>> stretches;
  std::int64_t at = 0;
  model.row_count = 0;
  for (const auto& [first, count] : model.rows) {
    const std::int64_t begin = std::max(kept.first, at), end = std::min(kept.second, at + count);
    if (begin < end) stretches.emplace_back(first + begin - at, end - begin), model.row_count += end - begin;
    at += count;
  }
  model.rows = std::move(stretches);
}

/// Returns whether nearly all pairs of some vectors keep their length, up to one factor for each vector.
bool keeps_lengths(const CheckModel& model, const HeadVectors& heads) {
  const auto pairs = static_cast<std::int64_t>(model.tokens.pair_count());
  const std::int64_t width = heads.heads * heads.channels, rows = std::min(heads.rows, tuned::kRowsOfOrder);
  if (model.still + 2 * pairs > heads.channels) return false;
  std::vector<double> before(static_cast<std::size_t>(width)), after(before), ratios;
  std::int64_t kept = 0, all = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t row = i * (heads.rows - 1) / std::max<std::int64_t>(rows - 1, 1);
    read_rows(heads.before, row, 1, before.data());
    read_rows(heads.after, row, 1, after.data());
    for (std::int64_t head = 0; head < heads.heads; ++head) {
      const std::int64_t begin = head * heads.channels + model.still;
      const auto length = [&](const std::vector<double>& of, std::int64_t a, std::int64_t b) {
        return std::hypot(of[static_cast<std::size_t>(begin + a)], of[static_cast<std::size_t>(begin + b)]);
      };
      ratios.clear();
      for (std::int64_t pair = 0; pair < pairs; ++pair) {
        const std::int64_t out = model.out_by_halves ? pair : 2 * pair, step = model.out_by_halves ? pairs : 1;
        const double due = length(before, 2 * pair, 2 * pair + 1), found = length(after, out, out + step);
        if (due > 0) ratios.push_back(found / due);
      }
      if (ratios.empty()) continue;
      const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
      std::nth_element(ratios.begin(), middle, ratios.end());
      const double usual = *middle;
      all += static_cast<std::int64_t>(ratios.size());
      kept += std::count_if(ratios.begin(), ratios.end(),
                            [&](double ratio) { return std::abs(ratio - usual) <= tuned::kSameLength * usual; });
    }
  }
  return all > 0 && static_cast<double>(kept) >= tuned::kNearlyAll * static_cast<double>(all);
}

}  // namespace

std::span<const NamedOrder> other_orders() {
  return kOrders;
}

bool is_grid(const TokenBlock& block) {
  return block.is_image() || block.is_reference();
}

bool is_in_part(const TokenBlock& block, std::string_view part) {
  return part == kParts[0] || block.part.starts_with(part);
}

Along side_of_name(std::string_view axis) {
  static constexpr std::pair<std::string_view, Along> kSides[] = {
      {"row", Along::row}, {"y", Along::row}, {"column", Along::column}, {"x", Along::column}};
  for (const auto& [name, side] : kSides) {
    if (name == axis) return side;
  }
  return Along::none;
}

bool can_stand_in(TokenOrder order, const TokenBlock& block) {
  if (!is_grid(block)) return false;
  const bool rows = block.rows > 1, columns = block.columns > 1, frames = block.frames > 1;
  switch (order) {
    case TokenOrder::row_major:
      return false;
    case TokenOrder::column_major:
    case TokenOrder::serpentine:
      return rows && columns;
    case TokenOrder::row_column_frame:
    case TokenOrder::column_row_frame:
      return frames && (rows || columns);
    case TokenOrder::row_frame_column:
      return frames && rows;
    case TokenOrder::column_frame_row:
      return frames && columns && rows;
    case TokenOrder::bottom_up:
      return rows;
    case TokenOrder::right_to_left:
      return columns;
    case TokenOrder::backwards:
      return rows && columns;
    case TokenOrder::frames_backwards:
      return frames;
    case TokenOrder::windows:
      return block.rows % kSide == 0 && block.columns % kSide == 0 && block.columns > kSide;
  }
  return false;
}

std::string_view format_name(ShortFormat format) {
  switch (format) {
    case ShortFormat::bfloat16:
      return "bfloat16";
    case ShortFormat::float16:
      return "float16";
    case ShortFormat::none:
      break;
  }
  return "";
}

double round_to_format(ShortFormat format, double value) {
  switch (format) {
    case ShortFormat::bfloat16:
      return round_to_bfloat16(value);
    case ShortFormat::float16:
      return round_to_float16(value);
    case ShortFormat::none:
      break;
  }
  return value;
}

double CheckModel::largest_amplitude() const {
  double of_axes = tokens.axes.empty() ? 1 : 0;
  for (const LayoutAxis& axis : tokens.axes) of_axes = std::max(of_axes, std::abs(axis.amplitude));
  return of_axes * std::abs(amplitude) * std::max(std::abs(cosine_factor), std::abs(sine_factor));
}

CheckModel with_change(CheckModel model, const Change& change) {
  change(model);
  return model;
}

CheckModel model_of(const CheckReference& reference, const CheckInputs& inputs, std::int64_t tokens) {
  CheckModel model;
  model.tokens = reference.tokens;
  model.amplitude = reference.amplitude;
  model.rope = reference.rope;
  model.length = reference.length;
  const std::int64_t first = inputs.rows ? inputs.rows->first : 0;
  if (reference.rope && !reference.positions) model.tokens.blocks[0].columns = first + tokens;
  if (reference.rope) take_length(reference, first + tokens, model);
  const CheckRows rows = find_part_rows(model.tokens, inputs.part);
  model.rows = rows.stretches;
  model.row_count = rows.count;
  // If as many rows are selected as the layout has, they are its rows: the omitted ones are padding.
  if (inputs.rows && model.row_count != tokens) keep_stretches(*inputs.rows, model);
  if (reference.rotates_last_channels && inputs.before && !inputs.before->shape.empty()) {
    model.still = std::max<std::int64_t>(inputs.before->shape.back() - 2 * model.tokens.pair_count(), 0);
  }
  model.tokens.pairing = inputs.pairing.value_or(model.tokens.pairing);
  model.repeats = model.tokens.pairing;
  if (reference.cosine) {
    CheckInputs tables;
    tables.cosine = reference.cosine;
    tables.sine = reference.sine;
    ExpectedShape shape;
    shape.pairs = model.tokens.pair_count();
    shape.pairing = model.tokens.pairing;
    model.given_tables = std::make_shared<const TablePlanes>(read_planes(tables, shape));
  }
  model.companions = model.tokens.table_mismatch ? Pairing::half_split : model.tokens.pairing;
  if (model.tokens.table_mismatch && model.tokens.halves_by_axis) std::swap(model.repeats, model.companions);
  return model;
}

CheckRows find_part_rows(const TokenLayout& tokens, const std::string& part) {
  CheckRows rows;
  if (std::ranges::find(kParts, part) == std::end(kParts)) throw InputError("check.unknown_part", {{"part", part}});
  for (const TokenBlock& block : tokens.blocks) {
    if (!is_in_part(block, part)) continue;
    if (!rows.stretches.empty() && rows.stretches.back().first + rows.stretches.back().second == block.first_row) {
      rows.stretches.back().second += block.count();
    } else {
      rows.stretches.emplace_back(block.first_row, block.count());
    }
    rows.count += block.count();
  }
  if (rows.stretches.empty()) throw InputError("check.no_part", {{"tokens", name_of_layout(tokens)}, {"part", part}});
  return rows;
}

std::int64_t reference_row(const CheckModel& model, std::int64_t row) {
  return remaining_range(model, row).first;
}

std::pair<std::int64_t, std::int64_t> remaining_range(const CheckModel& model, std::int64_t row) {
  for (const auto& [first, count] : model.rows) {
    if (row < count) return {first + row, count - row};
    row -= count;
  }
  throw InputError("check.past_end", {{"tokens", name_of_layout(model.tokens)}});
}

TokenPlace place_in(const CheckModel& model, std::int64_t row) {
  return place_of(model.tokens, reference_row(model, row));
}

RowEvaluator::RowEvaluator(const CheckModel& model) : model_(model), frequencies_(model.tokens.frequencies) {
  if (model.frequency_format != ShortFormat::none) {
    for (double& frequency : frequencies_.reshaped()) frequency = round_to_format(model.frequency_format, frequency);
  }
  owner_.assign(static_cast<std::size_t>(pairs()), kNone);
  for (Eigen::Index pair = 0; pair < pairs(); ++pair) {
    Eigen::Index& owner = owner_[static_cast<std::size_t>(pair)];
    for (Eigen::Index axis = 0; axis < axes(); ++axis) {
      if (frequencies_(axis, pair) != 0) owner = owner == kNone ? axis : kSeveral;
    }
    several_ = several_ || owner == kSeveral;
    speed_.push_back(owner >= 0 ? std::abs(frequencies_(owner, pair)) : 0);
    amplitude_.push_back(owner >= 0 ? model.tokens.axes[static_cast<std::size_t>(owner)].amplitude : 1);
    if (runs_.empty() || runs_.back().axis != owner) runs_.push_back({owner, pair, 0});
    ++runs_.back().count;
  }
  for (std::size_t axis = 0; axis < model.tokens.axes.size(); ++axis) {
    least_id_.push_back(least_size(model.tokens, axis));
  }
}

void RowEvaluator::ids(std::int64_t row, double* out) const {
  if (model_.own_ids) {
    for (Eigen::Index axis = 0; axis < axes(); ++axis) out[axis] = (*model_.own_ids)(row, axis);
    return;
  }
  ids_at(place_in(model_, row), out);
}

void RowEvaluator::ids_at(TokenPlace place, double* out) const {
  const TokenBlock& block = model_.tokens.blocks[place.block];
  if (place.block < model_.strides.size() && model_.strides[place.block] != 0) {
    strided_ids_at(place, model_.strides[place.block], out);
    return;
  }
  if (model_.order != TokenOrder::row_major) place = to_walked_place(model_.order, block, place);
  for (std::size_t axis = 0; axis < block.ids.size(); ++axis) {
    const AxisIds& ids = block.ids[axis];
    const double id = model_.id_factor * ids.at(value_index(block, ids.along, place));
    out[axis] = round_to_format(model_.id_format, id);
  }
}

void RowEvaluator::strided_ids_at(TokenPlace place, std::int64_t stride, double* out) const {
  const TokenBlock& block = model_.tokens.blocks[place.block];
  const std::int64_t index = place.row * block.columns + place.column;
  for (std::size_t axis = 0; axis < block.ids.size(); ++axis) {
    const AxisIds& ids = block.ids[axis];
    const std::int64_t value = ids.along == Along::row      ? index / stride
                               : ids.along == Along::column ? index % stride
                                                            : value_index(block, ids.along, place);
    out[axis] = round_to_format(model_.id_format, model_.id_factor * id_or_beyond(ids, value));
  }
}

void RowEvaluator::reaches(const double* ids, double* reach) const {
  for (std::size_t axis = 0; axis < least_id_.size(); ++axis) {
    const LayoutAxis& of = model_.tokens.axes[axis];
    reach[axis] = std::abs(of.id_scale) * std::max(std::abs(ids[axis]), least_id_[axis]) + std::abs(of.id_offset);
  }
}

void RowEvaluator::angles(const double* ids, double* angle, double* size) const {
  double reach[kMaxAxes], scaled[kMaxAxes];
  reaches(ids, reach);
  for (Eigen::Index axis = 0; axis < axes(); ++axis) {
    const LayoutAxis& of = model_.tokens.axes[static_cast<std::size_t>(axis)];
    scaled[axis] = of.id_scale * ids[axis] + of.id_offset;
  }
  for (Eigen::Index pair = 0; pair < pairs(); ++pair) {
    const Eigen::Index owner = owner_[static_cast<std::size_t>(pair)];
    double sum = 0, sum_size = 0;
    if (owner >= 0) {
      sum = frequencies_(owner, pair) * scaled[owner];
      sum_size = std::abs(frequencies_(owner, pair)) * reach[owner];
    } else if (owner == kSeveral) {
      for (Eigen::Index axis = 0; axis < axes(); ++axis) {
        sum += frequencies_(axis, pair) * scaled[axis];
        sum_size += std::abs(frequencies_(axis, pair)) * reach[axis];
      }
    }
    angle[pair] = round_to_format(model_.angle_format, sum);
    size[pair] = sum_size;
    if (model_.angle_format == ShortFormat::none) continue;
    // A float32 product on the other side of a midpoint is rounded to the other number.
    const double error = kOfProduct * sum_size;
    if (round_to_format(model_.angle_format, sum - error) != round_to_format(model_.angle_format, sum + error)) {
      size[pair] = kAnySize;
    }
  }
}

/// The angles of given tables are unknown: their storage error replaces the sizes.
void RowEvaluator::read_given(std::int64_t row, double* cosine, double* sine, double* size) const {
  row = reference_row(model_, row);
  bool has_cosine = false, has_sine = false;
  double unit = 0;
  for (const TablePlane& plane : model_.given_tables->planes) {
    const bool is_cosine = plane.holds == Holds::cosine;
    if (plane.holds == Holds::minus_sine || (is_cosine ? has_cosine : has_sine)) continue;
    read_rows(plane.numbers, row, 1, is_cosine ? cosine : sine);
    (is_cosine ? has_cosine : has_sine) = true;
    unit = std::max(half_unit(plane.numbers, 1), 6e-8);
  }
  const double of_cosine = model_.amplitude * model_.cosine_factor;
  const double of_sine = (model_.conjugate ? -1 : 1) * model_.amplitude * model_.sine_factor;
  for (Eigen::Index pair = 0; pair < pairs(); ++pair) {
    cosine[pair] *= of_cosine;
    sine[pair] *= of_sine;
    size[pair] = unit / 7e-7;
  }
  if (model_.exchanged) std::swap_ranges(cosine, cosine + pairs(), sine);
}

void RowEvaluator::row(std::int64_t row, double* cosine, double* sine, double* size) const {
  if (model_.given_tables) {
    read_given(row, cosine, sine, size);
    return;
  }
  double id[kMaxAxes];
  ids(row, id);
  // `cosine` contains the angles until each is replaced.
  angles(id, cosine, size);
  const double of_cosine = model_.amplitude * model_.cosine_factor;
  const double of_sine = (model_.conjugate ? -1 : 1) * model_.amplitude * model_.sine_factor;
  for (Eigen::Index pair = 0; pair < pairs(); ++pair) {
    const double angle = cosine[pair], amplitude = amplitude_[static_cast<std::size_t>(pair)];
    cosine[pair] = amplitude * of_cosine * std::cos(angle);
    sine[pair] = amplitude * of_sine * std::sin(angle);
  }
  if (model_.exchanged) std::swap_ranges(cosine, cosine + pairs(), sine);
}

template <class Act>
void RowEvaluator::walk(std::int64_t first, std::int64_t count, const Act& act) const {
  double id[kMaxAxes];
  for (std::int64_t done = 0; done < count;) {
    if (model_.own_ids) {
      ids(first + done, id);
      act(done++, id);
      continue;
    }
    // Tokens of one line are consecutive: the place of the first is looked up, the others follow it.
    const auto [row, left] = remaining_range(model_, first + done);
    TokenPlace place = place_of(model_.tokens, row);
    const std::int64_t in_line = model_.tokens.blocks[place.block].columns - place.column;
    for (const std::int64_t end = done + std::min({left, count - done, in_line}); done < end; ++done, ++place.column) {
      ids_at(place, id);
      act(done, id);
    }
  }
}

void RowEvaluator::sizes(std::int64_t first, std::int64_t count, double* size) const {
  walk(first, count, [&](std::int64_t i, const double* id) { sizes_of(id, size + i * pairs()); });
}

std::optional<Eigen::Index> RowEvaluator::only_axis() const {
  std::optional<Eigen::Index> axis;
  for (const PairRun& run : runs_) {
    if (run.axis == kSeveral || (run.axis >= 0 && axis && *axis != run.axis)) return std::nullopt;
    if (run.axis >= 0) axis = run.axis;
  }
  return axis;
}

void RowEvaluator::reaches_of(Eigen::Index axis, std::int64_t first, std::int64_t count, double* reach) const {
  walk(first, count, [&](std::int64_t i, const double* id) {
    double of_axes[kMaxAxes];
    reaches(id, of_axes);
    reach[i] = of_axes[axis];
  });
}

void RowEvaluator::sizes_of(const double* ids, double* size) const {
  double reach[kMaxAxes];
  reaches(ids, reach);
  if (several_) {
    for (Eigen::Index pair = 0; pair < pairs(); ++pair) {
      size[pair] = 0;
      for (Eigen::Index axis = 0; axis < axes(); ++axis) size[pair] += std::abs(frequencies_(axis, pair)) * reach[axis];
    }
    return;
  }
  for (const PairRun& run : runs_) {
    const double by = run.axis < 0 ? 0 : reach[run.axis];
    for (Eigen::Index pair = run.first; pair < run.first + run.count; ++pair) {
      size[pair] = speed_[static_cast<std::size_t>(pair)] * by;
    }
  }
}

bool take_channel_order(const HeadVectors& heads, CheckModel& model) {
  if (model.companions != Pairing::interleaved || model.out_by_halves) return false;
  CheckModel halves = model;
  halves.out_by_halves = true;
  if (!keeps_lengths(halves, heads) || keeps_lengths(model, heads)) return false;
  model.out_by_halves = true;
  return true;
}

}  // namespace ropescope
