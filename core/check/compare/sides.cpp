// What sides.h declares; read it first.
//
// Contents: Sides; Errors of angles; What is shown.

#include "core/check/compare/sides.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check/compare/compare.h"
#include "core/check/compare/rows.h"
#include "core/check/compare/tensors.h"
#include "core/check/model/ladders.h"

namespace ropescope {

// --- Sides ---------------------------------------------------------------------------------------------------------

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
void keep_furthest(CheckDifferences& found, std::int64_t row, std::int64_t column, double difference,
                   double tolerance) {
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
          keep_furthest(found, i, pair, std::abs(stored[static_cast<std::size_t>(i * width + pair)] - number),
                        tolerance);
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
          keep_furthest(found, i, one.pair, one.difference, one.tolerance);
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
        keep_furthest(found, i, axis, std::abs(stored[static_cast<std::size_t>(i * width + axis)] - id),
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
        const auto [x, y] = channels_of(*model, pair, pairs);
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

// --- Errors of angles ----------------------------------------------------------------------------------------------

namespace {

/// Half a unit in the last place of float32 at 1.
constexpr double kFloat32Unit = 0x1p-24;
/// In roundings: power, division and scaling of a frequency; its logarithm; a coordinate with a fraction; a scale or an
/// offset of ids.
constexpr double kOfFrequency = 4, kOfLogarithm = 2, kOfCoordinate = 4, kOfScale = 2;
/// Rows that an estimate looks at.
constexpr std::int64_t kEstimateRows = 256;
/// Where the frequency's error could turn a pair farther than this, deviations are no longer told apart by their sines.
constexpr double kSineLimit = 0.5;

bool has_fractions(const TokenLayout& tokens, std::size_t axis) {
  const auto is_fraction = [](double id) { return id != std::floor(id); };
  return std::any_of(tokens.blocks.begin(), tokens.blocks.end(), [&](const TokenBlock& block) {
    const AxisIds& ids = block.ids[axis];
    return is_fraction(ids.first) || std::any_of(ids.listed.begin(), ids.listed.end(), is_fraction);
  });
}

/// Of the ids of an axis, in roundings.
double error_of_ids(const CheckModel& model, std::size_t axis) {
  const LayoutAxis& of = model.tokens.axes[axis];
  double error = 0;
  if (of.id_scale != 1 || of.id_offset != 0 || model.id_factor != 1) error += kOfScale;
  if (has_fractions(model.tokens, axis)) error += kOfCoordinate;
  return error;
}

/// Adds what ggml's recurrence errs by.
void add_recurrence_error(const CheckModel& model, AngleErrors& errors) {
  constexpr double kOfScale32 = 2, kOfLog2 = 4 * 0.6931471805599453, kOfExtension = 3, kPlain = 1e-12;
  const Ladders ladders = ladders_of(model);
  const Eigen::MatrixXd steps = recurrent_steps(ladders);
  for (Eigen::Index pair = 0; pair < steps.cols(); ++pair) {
    double of_frequency = 0, of_row = 0;
    for (Eigen::Index axis = 0; axis < steps.rows(); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (!(ladders.base[a] > 1) || ladders.plain(axis, pair) == 0) continue;
      const double logarithm = ladders.step[a] * std::log(ladders.base[a]);
      of_frequency = std::max(of_frequency, steps(axis, pair) * (kOfScale32 + logarithm + kOfLog2));
      const double factor = model.tokens.frequencies(axis, pair) / ladders.plain(axis, pair);
      const double of_extension = std::abs(factor - 1) > kPlain ? kOfExtension : 0;
      of_row = std::max(of_row, steps(axis, pair) + of_extension);
    }
    const auto p = static_cast<std::size_t>(pair);
    errors.of_pair[p] += kFloat32Unit * (of_frequency + of_row);
    errors.of_row[p] += kFloat32Unit * of_row;
  }
}

/// Rows spread over all of them without a period: every id of a grid has its turn.
std::vector<std::int64_t> sampled_rows(std::int64_t rows) {
  constexpr double kGolden = 0.6180339887498949;
  std::vector<std::int64_t> looked;
  const std::int64_t count = std::min(rows, kEstimateRows);
  for (std::int64_t i = 0; i < count; ++i) {
    const double turn = static_cast<double>(i + 1) * kGolden;
    const auto spread = static_cast<std::int64_t>((turn - std::floor(turn)) * static_cast<double>(rows));
    looked.push_back(count == rows ? i : std::min(spread, rows - 1));
  }
  return looked;
}

const TablePlane* plane_of(const TablePlanes& tables, bool cosine) {
  const auto found = std::find_if(tables.planes.begin(), tables.planes.end(), [&](const TablePlane& plane) {
    return cosine ? plane.holds == Holds::cosine : plane.holds == Holds::sine;
  });
  return found == tables.planes.end() ? nullptr : &*found;
}

/// The sums that an estimate is made of.
struct Sums {
  double deviation = 0, noise = 0, squares = 0;
};

/// One row of both tables beside the numbers that were expected.
class Deviations {
 public:
  Deviations(const CheckModel& model, const RowEvaluator& evaluator, const TablePlane& cosine, const TablePlane& sine)
      : model_(model), evaluator_(evaluator), cosine_plane_(cosine), sine_plane_(sine) {
    const auto pairs = static_cast<std::size_t>(evaluator.pairs());
    for (auto* numbers : {&angle_, &size_, &stored_cosine_, &stored_sine_}) numbers->resize(pairs);
    ids_.resize(model.tokens.axes.size());
    cosine_unit_ = rule_of(cosine, model).unit;
    sine_unit_ = rule_of(sine, model).unit;
  }

  void add(std::int64_t row, const AngleErrors& errors, std::vector<Sums>& sums) {
    evaluator_.ids(row, ids_.data());
    evaluator_.angles(ids_.data(), angle_.data(), size_.data());
    read_rows(cosine_plane_.numbers, row, 1, stored_cosine_.data());
    read_rows(sine_plane_.numbers, row, 1, stored_sine_.data());
    const double direction = model_.conjugate ? -1 : 1;
    const double amplitude_of_cosine = model_.amplitude * model_.cosine_factor;
    const double amplitude_of_sine = direction * model_.amplitude * model_.sine_factor;
    for (std::size_t pair = 0; pair < sums.size(); ++pair) {
      const double angle = angle_[pair];
      if (angle == 0 || !(errors.of_pair[pair] * size_[pair] < kSineLimit)) continue;
      const double of_axis = evaluator_.amplitude_of(pair);
      const double of_cosine = of_axis * std::abs(amplitude_of_cosine), of_sine = of_axis * std::abs(amplitude_of_sine);
      const double cosine = of_axis * amplitude_of_cosine * std::cos(angle);
      const double sine = of_axis * amplitude_of_sine * std::sin(angle);
      const double c = cosine / of_cosine, s = sine / of_sine;
      const double turned = stored_sine_[pair] / of_sine * c - stored_cosine_[pair] / of_cosine * s;
      const double noise = kTableNoise * (1 + size_[pair]) / std::min(of_cosine, of_sine);
      const double stored =
          std::abs(s) * cosine_unit_.at(cosine) / of_cosine + std::abs(c) * sine_unit_.at(sine) / of_sine + noise;
      sums[pair].deviation += direction * angle * turned;
      sums[pair].noise += std::abs(angle) * (stored + errors.of_row[pair] * size_[pair]);
      sums[pair].squares += angle * angle;
    }
  }

 private:
  const CheckModel& model_;
  const RowEvaluator& evaluator_;
  const TablePlane &cosine_plane_, &sine_plane_;
  StorageUnit cosine_unit_, sine_unit_;
  std::vector<double> ids_, angle_, size_, stored_cosine_, stored_sine_;
};

}  // namespace

double frequency_error(double frequency) {
  return kFloat32Unit * (kOfFrequency + kOfLogarithm * std::abs(std::log(std::abs(frequency))));
}

AngleErrors angle_errors(const CheckModel& model) {
  const Eigen::MatrixXd& frequencies = model.tokens.frequencies;
  AngleErrors errors;
  if (model.given_tables) {
    // Their angles are not known: RowEvaluator gives what storing moved them by in place of sizes.
    errors.of_row.assign(static_cast<std::size_t>(frequencies.cols()), kAngleError);
    errors.of_pair = errors.of_row;
    return errors;
  }
  // A fitted number is not known exactly, and moves all angles of a pair alike.
  const double of_fit = model.slack > 0 ? kAngleError : 0;
  std::vector<double> of_ids;
  for (std::size_t axis = 0; axis < model.tokens.axes.size(); ++axis) of_ids.push_back(error_of_ids(model, axis));
  for (Eigen::Index pair = 0; pair < frequencies.cols(); ++pair) {
    double of_frequency = 0, of_row = 0;
    for (Eigen::Index axis = 0; axis < frequencies.rows(); ++axis) {
      if (frequencies(axis, pair) == 0) continue;
      of_frequency = std::max(of_frequency, frequency_error(frequencies(axis, pair)));
      of_row = std::max(of_row, of_ids[static_cast<std::size_t>(axis)]) + 1;
    }
    errors.of_row.push_back(kFloat32Unit * of_row);
    errors.of_pair.push_back(of_frequency + of_fit + kFloat32Unit * of_row);
  }
  if (model.recurrence) add_recurrence_error(model, errors);
  return errors;
}

std::vector<double> estimated_angle_errors(const CheckModel& model, const RowEvaluator& evaluator,
                                           const TablePlanes& tables) {
  const AngleErrors errors = angle_errors(model);
  std::vector<double> allowed = errors.of_pair;
  const TablePlane *cosine = plane_of(tables, true), *sine = plane_of(tables, false);
  const bool pairs_fit = tables.pairs == static_cast<std::int64_t>(allowed.size());
  if (model.given_tables || model.angle_format != ShortFormat::none ||
      model.amplitude * model.cosine_factor * model.sine_factor == 0 || !cosine || !sine || !pairs_fit) {
    return allowed;
  }
  std::vector<Sums> sums(allowed.size());
  if (model.exchanged) std::swap(cosine, sine);
  Deviations deviations(model, evaluator, *cosine, *sine);
  for (const std::int64_t row : sampled_rows(std::min(tables.rows, model.row_count))) deviations.add(row, errors, sums);
  for (std::size_t pair = 0; pair < allowed.size(); ++pair) {
    const bool one_axis = (model.tokens.frequencies.col(static_cast<Eigen::Index>(pair)).array() != 0).count() == 1;
    if (!one_axis || !(sums[pair].squares > 0)) continue;
    const double estimate = std::abs(sums[pair].deviation) + sums[pair].noise;
    allowed[pair] = std::min(allowed[pair], estimate / sums[pair].squares + errors.of_row[pair]);
  }
  return allowed;
}

// --- What is shown -------------------------------------------------------------------------------------------------

namespace {

/// Which pairs, or planes, something holds for.
using Set = std::vector<char>;

void add_to(Set& all, const Set& some) {
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = all[i] || some[i];
}

/// What some rows show.
struct ShownRows {
  Set turned, lengths;  ///< pairs that are turned at some row, and those of them whose vectors have a length there
  Set shown;            ///< pairs that would differ by more than is tolerated if they were not turned
  Set planes;           ///< planes of tables in which they would
  bool heads = false;   ///< or vectors
  std::int64_t rows = 0;
  std::vector<IdRange> ids;  ///< of these rows, axis by axis

  ShownRows(std::size_t pairs, std::size_t plane_count, std::size_t axes)
      : turned(pairs), lengths(pairs), shown(pairs), planes(plane_count), ids(axes) {}

  void join(const ShownRows& other) {
    add_to(turned, other.turned);
    add_to(lengths, other.lengths);
    add_to(shown, other.shown);
    add_to(planes, other.planes);
    heads = heads || other.heads;
    rows += other.rows;
    for (std::size_t axis = 0; axis < ids.size(); ++axis) ids[axis].join(other.ids[axis]);
  }
};

/// What all threads look by.
struct Looks {
  const CheckModel& model;
  const CheckTensors& tensors;
  RowEvaluator evaluator;
  std::vector<StorageUnit> units;   ///< of planes
  std::vector<double> angle_error;  ///< of pairs, as they move cos and sin
  RotationRule rotation;
  /// Given tables: nothing is known of their angles, so that what turns is what turns against their first row. Of a
  /// single row empty: it turns against no angle at all.
  std::vector<double> first_cosine, first_sine;
  /// Sizes of ids of the only axis at which the sine of some pair shows it, whatever the others do: most rows of a
  /// long text need no cosine to be counted. Empty where none are sure.
  std::optional<IdRange> sure;

  Looks(const CheckModel& of, const CheckTensors& about, std::int64_t rows)
      : model(of), tensors(about), evaluator(of), angle_error(angle_errors(of).of_pair) {
    for (double& error : angle_error) error = error * model.largest_amplitude() + kTableNoise;
    for (const TablePlane& plane : tensors.tables.planes) units.push_back(rule_of(plane, model).unit);
    if (tensors.heads) rotation = rotation_rule(model, tensors.heads->before, tensors.heads->after);
    sure = sure_ids();
    if (!model.given_tables || rows < 2) return;
    const auto pairs = static_cast<std::size_t>(evaluator.pairs());
    std::vector<double> size(pairs);
    first_cosine.resize(pairs), first_sine.resize(pairs);
    evaluator.row(0, first_cosine.data(), first_sine.data(), size.data());
  }

 private:
  /// Where angles lie between these two, sines are far larger than anything that is tolerated; of a ladder whose steps
  /// are no wider than that, some pair's angle does from the first size on to the last.
  std::optional<IdRange> sure_ids() const {
    constexpr double kLeastAngle = 0.1, kMostAngle = 3;
    const double least_sine = std::sin(kLeastAngle);
    const std::vector<LayoutAxis>& axes = model.tokens.axes;
    if (model.given_tables || tensors.heads || axes.size() != 1 || axes[0].id_offset != 0 || !(axes[0].id_scale > 0) ||
        model.own_ids || model.angle_format != ShortFormat::none || !evaluator.only_axis())
      return std::nullopt;
    const double amplitude = std::abs(model.amplitude * model.sine_factor);
    const double most_error = *std::max_element(angle_error.begin(), angle_error.end());
    const auto shows = [&](std::size_t plane) {
      return tensors.tables.planes[plane].holds != Holds::cosine &&
             amplitude * least_sine > units[plane].at(amplitude) + most_error * kMostAngle;
    };
    bool any = false;
    for (std::size_t plane = 0; plane < units.size(); ++plane) any = any || shows(plane);
    std::vector<double> speeds;
    for (const double speed : evaluator.speeds()) {
      if (speed > 0) speeds.push_back(speed * axes[0].id_scale);
    }
    std::sort(speeds.begin(), speeds.end());
    for (std::size_t i = 1; i < speeds.size(); ++i) any = any && speeds[i] * kLeastAngle <= speeds[i - 1] * kMostAngle;
    if (!any || speeds.empty() || model.exchanged) return std::nullopt;
    IdRange range;
    range.add(kLeastAngle / speeds.back());
    range.add(kMostAngle / speeds.front());
    return range;
  }
};

/// Looks at rows one after the other; one for each thread.
class Looker {
 public:
  explicit Looker(const Looks& by)
      : by_(by),
        cosine_(static_cast<std::size_t>(by.evaluator.pairs())),
        sine_(cosine_),
        size_(cosine_),
        known_(cosine_.size()),
        ids_(static_cast<std::size_t>(by.evaluator.axes())) {
    const auto& heads = by.tensors.heads;
    if (!heads) return;
    before_.resize(static_cast<std::size_t>(heads->heads * heads->channels));
    unturned_.resize(before_.size());
  }

  ShownRows look(const RowPiece& piece) {
    ShownRows found(size_.size(), by_.units.size(), ids_.size());
    bool complete = false;
    for (std::int64_t row = piece.first; row < piece.first + piece.count; ++row) {
      complete = complete || (by_.sure && is_complete(found));
      if (complete) {
        by_.evaluator.ids(row, ids_.data());
        const double size = std::abs(ids_[0]);
        if (size >= by_.sure->smallest && size <= by_.sure->largest) {
          ++found.rows;
          found.ids[0].add(ids_[0]);
          continue;
        }
      }
      if (!read(row, found)) continue;
      const bool by_tables = tables_show(found), by_heads = by_.tensors.heads && heads_show(row, found);
      if (!by_tables && !by_heads) continue;
      ++found.rows;
      for (std::size_t axis = 0; axis < ids_.size(); ++axis) found.ids[axis].add(ids_[axis]);
    }
    return found;
  }

 private:
  /// Whether other rows add nothing but themselves.
  bool is_complete(const ShownRows& found) const {
    for (std::size_t pair = 0; pair < found.shown.size(); ++pair) {
      const bool turns = by_.evaluator.speeds()[pair] != 0;
      if (turns && !(found.turned[pair] && found.shown[pair])) return false;
    }
    return std::find(found.planes.begin(), found.planes.end(), 0) == found.planes.end();
  }

  /// Whether the row turns any pair.
  bool read(std::int64_t row, ShownRows& found) {
    const bool given = by_.model.given_tables != nullptr;
    if (given) {
      by_.evaluator.row(row, cosine_.data(), sine_.data(), size_.data());
    } else {
      by_.evaluator.ids(row, ids_.data());
      // The angles stand in the place of cosines until a pair is asked for: few are.
      by_.evaluator.angles(ids_.data(), cosine_.data(), size_.data());
    }
    std::fill(known_.begin(), known_.end(), given);
    bool any = false;
    for (std::size_t pair = 0; pair < size_.size(); ++pair) {
      const bool turned = given ? sine_[pair] != 0 : size_[pair] != 0;
      if (!turned) continue;
      any = true;
      found.turned[pair] = 1;
    }
    return any;
  }

  void know(std::size_t pair) {
    if (known_[pair]) return;
    known_[pair] = 1;
    const double angle = cosine_[pair], amplitude = by_.model.amplitude * by_.evaluator.amplitude_of(pair);
    cosine_[pair] = amplitude * by_.model.cosine_factor * std::cos(angle);
    sine_[pair] = (by_.model.conjugate ? -1 : 1) * amplitude * by_.model.sine_factor * std::sin(angle);
  }

  double unturned_cosine(std::size_t pair) const {
    if (!by_.first_cosine.empty()) return by_.first_cosine[pair];
    if (by_.model.given_tables) return std::hypot(cosine_[pair], sine_[pair]);
    return by_.model.amplitude * by_.evaluator.amplitude_of(pair) * by_.model.cosine_factor;
  }
  double unturned_sine(std::size_t pair) const { return by_.first_sine.empty() ? 0 : by_.first_sine[pair]; }

  /// Whether a number of the plane would differ by more than is tolerated if the pair were not turned.
  bool plane_shows(std::size_t plane, std::size_t pair) const {
    const bool is_cosine = by_.tensors.tables.planes[plane].holds == Holds::cosine;
    const double expected = is_cosine ? cosine_[pair] : sine_[pair];
    const double unturned = is_cosine ? unturned_cosine(pair) : unturned_sine(pair);
    return std::abs(expected - unturned) > by_.units[plane].at(expected) + by_.angle_error[pair] * size_[pair];
  }

  /// Whether the tables show a pair at the row. What is known of others is not looked at again.
  bool tables_show(ShownRows& found) {
    const bool all_planes = std::find(found.planes.begin(), found.planes.end(), 0) == found.planes.end();
    bool any = false;
    for (std::size_t pair = 0; pair < size_.size() && !by_.units.empty(); ++pair) {
      if (size_[pair] == 0 || (any && all_planes && found.shown[pair])) continue;
      know(pair);
      for (std::size_t plane = 0; plane < by_.units.size(); ++plane) {
        if (!plane_shows(plane, pair)) continue;
        any = true;
        found.shown[pair] = found.planes[plane] = 1;
      }
    }
    return any;
  }

  /// Whether the vectors show a pair at the row.
  bool heads_show(std::int64_t row, ShownRows& found) {
    const HeadVectors& heads = *by_.tensors.heads;
    read_rows(heads.before, row, 1, before_.data());
    if (std::all_of(before_.begin(), before_.end(), [](double number) { return number == 0; })) return false;
    for (std::size_t pair = 0; pair < size_.size(); ++pair) know(pair);
    bool any = false;
    for (std::int64_t head = 0; head < heads.heads; ++head) {
      any = head_shows(head * heads.channels, any, found) || any;
    }
    found.heads = found.heads || any;
    return any;
  }

  bool head_shows(std::int64_t at, bool any, ShownRows& found) {
    const auto pairs = static_cast<Eigen::Index>(size_.size());
    const std::int64_t first = at + by_.model.still;
    const TableRowView row{cosine_.data(), sine_.data(), size_.data(), pairs, by_.tensors.heads->channels};
    for (Eigen::Index channel = 0; channel < 2 * pairs; ++channel) {
      const ChannelRole role = role_of(by_.model, channel, pairs);
      const auto pair = static_cast<std::size_t>(role.pair);
      if (size_[pair] == 0 || (any && found.shown[pair] && found.lengths[pair])) continue;
      unturned_[static_cast<std::size_t>(first + channel)] = by_.model.amplitude * by_.evaluator.amplitude_of(pair) *
                                                             by_.model.cosine_factor *
                                                             before_[static_cast<std::size_t>(first + role.source)];
      const ChannelJudgement judged =
          judge_channel(by_.model, by_.rotation, row, before_.data() + first, unturned_.data() + first, channel);
      if (judged.length != 0) found.lengths[pair] = 1;
      if (judged.difference <= judged.tolerance) continue;
      any = true;
      found.shown[pair] = 1;
    }
    return any;
  }

  const Looks& by_;
  std::vector<double> cosine_, sine_, size_;
  Set known_;  ///< pairs whose cos and sin were computed
  std::vector<double> ids_, before_, unturned_;
};

/// Rows whose ids say something. In a layout a 0 is a rule like any other (FLUX.1 puts all its text there); of a rope
/// it is what a buffer holds that nobody filled.
std::int64_t telling_ids(const CheckModel& model, const RowEvaluator& evaluator, std::int64_t rows,
                         std::vector<IdRange>& ranges) {
  std::vector<double> ids(static_cast<std::size_t>(evaluator.axes()));
  std::int64_t telling = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    evaluator.ids(row, ids.data());
    if (model.rope && std::all_of(ids.begin(), ids.end(), [](double id) { return id == 0; })) continue;
    ++telling;
    for (std::size_t axis = 0; axis < ids.size(); ++axis) ranges[axis].add(ids[axis]);
  }
  return telling;
}

}  // namespace

void IdRange::add(double id) {
  smallest = std::min(smallest, id);
  largest = std::max(largest, id);
}

void IdRange::join(const IdRange& other) {
  smallest = std::min(smallest, other.smallest);
  largest = std::max(largest, other.largest);
}

ShownByInputs shown_by(const CheckModel& model, const CheckTensors& tensors, const CheckOptions& options) {
  const std::int64_t rows = std::min(tensors.rows, model.row_count);
  const Looks looks(model, tensors, rows);
  const auto pairs = static_cast<std::size_t>(looks.evaluator.pairs());
  ShownRows all(pairs, looks.units.size(), model.tokens.axes.size());
  ShownByInputs found;
  if (!looks.units.empty() || tensors.heads) {
    share_rows(rows, options, [&]() -> WorkPiece {
      return [&all, looker = Looker(looks)](const RowPiece& piece) mutable -> JoinPiece {
        return [&all, some = looker.look(piece)] { all.join(some); };
      };
    });
  }
  CheckEvidence& evidence = found.evidence;
  for (std::size_t pair = 0; tensors.heads && pair < pairs; ++pair) {
    if (all.turned[pair] && !all.lengths[pair]) evidence.lengthless.push_back(static_cast<std::int64_t>(pair));
  }
  for (std::size_t plane = 0; plane < looks.units.size(); ++plane) {
    if (all.planes[plane]) found.inputs.insert(tensors.tables.planes[plane].which);
  }
  if (all.heads) found.inputs.insert("after");
  evidence.tokens = all.rows;
  if (tensors.ids) {
    const std::int64_t telling = telling_ids(model, looks.evaluator, rows, all.ids);
    if (telling > 0) found.inputs.insert("ids");
    evidence.tokens = std::max(evidence.tokens, telling);
  }
  evidence.pairs = std::count(all.shown.begin(), all.shown.end(), 1);
  if (tensors.frequencies) {
    found.inputs.insert("frequencies");
    const DueFrequencies due = due_frequencies(model, static_cast<std::size_t>(tensors.frequencies->shape[0]));
    const std::size_t listed = due.of == ListOf::shared_ladder ? pairs : std::min(pairs, due.compared);
    evidence.pairs = std::max(evidence.pairs, static_cast<std::int64_t>(listed));
  }
  found.ids = std::move(all.ids);
  return found;
}

}  // namespace ropescope
