#include "core/check/compare/sides.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check/compare/pieces.h"
#include "core/check/compare/tolerances.h"
#include "core/check/report/report.h"

namespace ropescope {

namespace {

using Numbers = std::vector<double>;

/// cos, sin and sizes of the angles of some rows, with rows of `pairs`.
struct Expected {
  std::int64_t pairs = 0;
  Numbers cosine, sine, size;
  TableRowView row(std::int64_t i) const {
    return {cosine.data() + i * pairs, sine.data() + i * pairs, size.data() + i * pairs, pairs};
  }
};

/// Keeps what lies furthest beyond its tolerance.
void keep_sides(CheckDifferences& found, std::int64_t row, std::int64_t column, double difference, double tolerance) {
  const auto at = static_cast<std::size_t>(row * found.columns + column);
  const double excess = static_cast<double>(found.values[at]) - static_cast<double>(found.tolerance[at]);
  if (found.tolerance[at] >= 0 && difference - tolerance <= excess) return;
  found.values[at] = static_cast<float>(difference);
  found.tolerance[at] = static_cast<float>(tolerance);
}

/// Re(after · conj(before)) ÷ |before|².
float cosine_of_turn(double before_x, double before_y, double after_x, double after_y) {
  const double size = before_x * before_x + before_y * before_y;
  if (!(size > 0)) return std::numeric_limits<float>::quiet_NaN();
  return static_cast<float>((after_x * before_x + after_y * before_y) / size);
}

}  // namespace

struct CheckSides::State {
  CheckTensors tensors;
  CheckModel own;           ///< the reference as it is, where nothing is applied
  const CheckModel* model;  ///< what is expected
  bool two_tables = false;
  CheckExtent extent;
  std::unique_ptr<ExpectedRows> rows;
  std::unique_ptr<RowEvaluator> evaluator;
  Numbers angle_errors;  ///< of tables

  State(const CheckReference& reference, const CheckInputs& inputs, const CheckModel* applied)
      : tensors(take_tensors(reference, inputs)), model(applied), two_tables(inputs.cosine.has_value()) {
    if (!applied) {
      own = model_of(reference, inputs, std::max<std::int64_t>(tensors.rows, 1));
      if (tensors.heads) take_channel_order(*tensors.heads, own);
      model = &own;
    }
    const auto pairs = static_cast<std::int64_t>(model->tokens.pair_count());
    extent.rows = std::min(tensors.rows, model->row_count);
    if (has_tables()) {
      extent.columns = std::min(tensors.tables.pairs, pairs);
    } else if (tensors.heads) {
      extent.columns = std::min((tensors.heads->channels - model->still) / 2, pairs);
    } else if (tensors.ids) {
      extent.columns = std::min(tensors.ids->shape[1], static_cast<std::int64_t>(model->tokens.axes.size()));
    }
    evaluator = std::make_unique<RowEvaluator>(*model);
    if (has_tables() || tensors.heads) rows = std::make_unique<ExpectedRows>(*model);
    if (has_tables()) angle_errors = table_errors(*model, *evaluator, tensors.tables);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  bool has_tables() const { return !tensors.tables.planes.empty(); }

  Expected expected(std::int64_t first, std::int64_t count) const {
    Expected of;
    of.pairs = static_cast<std::int64_t>(model->tokens.pair_count());
    of.cosine.resize(static_cast<std::size_t>(count * of.pairs));
    of.sine.resize(of.cosine.size());
    of.size.resize(of.cosine.size());
    rows->rows(first, count, of.cosine.data(), of.sine.data(), of.size.data());
    return of;
  }

  void table_differences(CheckDifferences& found) const {
    const Expected of = expected(found.first, found.rows);
    const std::int64_t width = tensors.tables.pairs;
    Numbers stored(static_cast<std::size_t>(found.rows * width));
    for (const TablePlane& plane : tensors.tables.planes) {
      const PlaneRule rule = rule_of(plane, *model);
      const double sign = plane.holds == Holds::minus_sine ? -1 : 1;
      read_rows(plane.numbers, found.first, found.rows, stored.data());
      for (std::int64_t i = 0; i < found.rows; ++i) {
        const TableRowView row = of.row(i);
        for (std::int64_t pair = 0; pair < found.columns; ++pair) {
          const double number = sign * (plane.holds == Holds::cosine ? row.cosine[pair] : row.sine[pair]);
          const double angle_error = angle_errors[static_cast<std::size_t>(pair)] * row.size[pair];
          const double tolerance = rule.unit.at(number) + angle_error + kTableNoise;
          keep_sides(found, i, pair, std::abs(stored[static_cast<std::size_t>(i * width + pair)] - number), tolerance);
        }
      }
    }
  }

  void head_differences(CheckDifferences& found) const {
    const HeadVectors& heads = *tensors.heads;
    const Expected of = expected(found.first, found.rows);
    const RotationRule rule = rotation_rule(*model, heads.before, heads.after);
    const std::int64_t width = heads.heads * heads.channels;
    Numbers before(static_cast<std::size_t>(found.rows * width)), after(before.size());
    read_rows(heads.before, found.first, found.rows, before.data());
    read_rows(heads.after, found.first, found.rows, after.data());
    for (std::int64_t i = 0; i < found.rows; ++i) {
      for (std::int64_t head = 0; head < heads.heads; ++head) {
        const std::int64_t at = i * width + head * heads.channels + model->still;
        for (std::int64_t channel = 0; channel < 2 * found.columns; ++channel) {
          const ChannelJudgement one =
              judge_channel(*model, rule, of.row(i), before.data() + at, after.data() + at, channel);
          keep_sides(found, i, one.pair, one.difference, one.tolerance);
        }
      }
    }
  }

  void id_differences(CheckDifferences& found) const {
    const StoredTensor& ids = *tensors.ids;
    const StorageUnit unit = unit_of(ids);
    const std::int64_t width = ids.shape[1];
    Numbers stored(static_cast<std::size_t>(found.rows * width)), number(model->tokens.axes.size());
    read_rows(ids, found.first, found.rows, stored.data());
    for (std::int64_t i = 0; i < found.rows; ++i) {
      evaluator->ids(found.first + i, number.data());
      for (std::int64_t axis = 0; axis < found.columns; ++axis) {
        const double id = number[static_cast<std::size_t>(axis)];
        keep_sides(found, i, axis, std::abs(stored[static_cast<std::size_t>(i * width + axis)] - id),
                   id_tolerance(unit, id));
      }
    }
  }

  /// The first copy of the cosines.
  void table_values(CheckValues& found) const {
    const auto plane = std::find_if(tensors.tables.planes.begin(), tensors.tables.planes.end(),
                                    [](const TablePlane& each) { return each.holds == Holds::cosine; });
    const std::int64_t width = tensors.tables.pairs;
    Numbers stored(static_cast<std::size_t>(found.rows * width));
    read_rows(plane->numbers, found.first, found.rows, stored.data());
    for (std::int64_t i = 0; i < found.rows; ++i) {
      std::copy_n(stored.begin() + i * width, found.columns, found.mine.begin() + i * found.columns);
    }
  }

  void head_values(CheckValues& found) const {
    const HeadVectors& heads = *tensors.heads;
    const StoredTensor before = slice_of(heads.before, 1, 0), after = slice_of(heads.after, 1, 0);
    Numbers b(static_cast<std::size_t>(found.rows * heads.channels)), a(b.size());
    read_rows(before, found.first, found.rows, b.data());
    read_rows(after, found.first, found.rows, a.data());
    const auto pairs = static_cast<std::int64_t>(model->tokens.pair_count());
    for (std::int64_t i = 0; i < found.rows; ++i) {
      for (std::int64_t pair = 0; pair < found.columns; ++pair) {
        const std::int64_t begin = i * heads.channels + model->still;
        const bool neighbours = model->companions == Pairing::interleaved && !model->out_by_halves;
        const std::int64_t x = neighbours ? 2 * pair : pair, y = x + (neighbours ? 1 : pairs);
        const auto at = [begin](const Numbers& numbers, std::int64_t k) {
          return numbers[static_cast<std::size_t>(begin + k)];
        };
        found.mine[static_cast<std::size_t>(i * found.columns + pair)] = cosine_of_turn(
            at(b, role_of(*model, x, pairs).source), at(b, role_of(*model, y, pairs).source), at(a, x), at(a, y));
      }
    }
  }

  void id_values(CheckValues& found) const {
    const std::int64_t width = tensors.ids->shape[1];
    Numbers stored(static_cast<std::size_t>(found.rows * width)), number(model->tokens.axes.size());
    read_rows(*tensors.ids, found.first, found.rows, stored.data());
    for (std::int64_t i = 0; i < found.rows; ++i) {
      std::copy_n(stored.begin() + i * width, found.columns, found.mine.begin() + i * found.columns);
      evaluator->ids(found.first + i, number.data());
      std::copy_n(number.begin(), found.columns, found.reference.begin() + i * found.columns);
    }
  }
};

CheckSides::CheckSides(const CheckReference& reference, const CheckInputs& inputs, const CheckModel* model)
    : state_(std::make_unique<const State>(reference, inputs, model)) {}

CheckSides::~CheckSides() = default;

CheckExtent CheckSides::extent() const {
  return state_->extent;
}

std::string CheckSides::which() const {
  if (state_->has_tables()) return state_->two_tables ? "tables" : "table";
  return state_->tensors.heads ? "after" : "ids";
}

CheckDifferences CheckSides::differences(std::int64_t first, std::int64_t count) const {
  CheckDifferences found;
  found.which = which();
  found.first = first;
  found.rows = std::clamp<std::int64_t>(state_->extent.rows - first, 0, count);
  found.columns = state_->extent.columns;
  found.values.assign(static_cast<std::size_t>(found.rows * found.columns), 0);
  found.tolerance.assign(found.values.size(), -1);  // nothing was kept there yet
  if (found.values.empty()) return found;
  if (state_->has_tables()) {
    state_->table_differences(found);
  } else if (state_->tensors.heads) {
    state_->head_differences(found);
  } else {
    state_->id_differences(found);
  }
  return found;
}

CheckValues CheckSides::values(std::int64_t first, std::int64_t count) const {
  CheckValues found;
  found.first = first;
  found.rows = std::clamp<std::int64_t>(state_->extent.rows - first, 0, count);
  found.columns = state_->extent.columns;
  found.mine.assign(static_cast<std::size_t>(found.rows * found.columns), 0);
  found.reference.assign(found.mine.size(), 0);
  if (found.mine.empty()) return found;
  if (!state_->rows) {
    state_->id_values(found);
    return found;
  }
  const Expected of = state_->expected(first, found.rows);
  for (std::int64_t i = 0; i < found.rows; ++i) {
    std::copy_n(of.row(i).cosine, found.columns, found.reference.begin() + i * found.columns);
  }
  if (state_->has_tables()) {
    state_->table_values(found);
  } else {
    state_->head_values(found);
  }
  return found;
}

CheckFrequencies CheckSides::frequencies() const {
  CheckFrequencies found;
  if (!state_->tensors.frequencies) return found;
  const StoredTensor& tensor = *state_->tensors.frequencies;
  found.mine.resize(static_cast<std::size_t>(tensor.count()));
  read_rows(tensor, 0, tensor.shape[0], found.mine.data());
  found.reference = due_frequencies(*state_->model, found.mine.size()).values;
  return found;
}

double CheckSides::position(std::int64_t row) const {
  Numbers ids(state_->model->tokens.axes.size());
  state_->evaluator->ids(row, ids.data());
  double largest = 0;
  for (const double id : ids) largest = std::max(largest, std::abs(id));
  return largest;
}

}  // namespace ropescope
