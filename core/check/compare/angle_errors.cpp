#include "core/check/compare/angle_errors.h"

#include <algorithm>
#include <cmath>

#include "core/check/compare/tolerances.h"
#include "core/check/model/ladders.h"

namespace ropescope {

namespace {

/// Half a unit in the last place of float32 at 1.
constexpr double kAngleErrorsRounding = 0x1p-24;
/// In roundings: power, division and scaling of a frequency; its logarithm; a coordinate with a fraction; a scale or an
/// offset of ids.
constexpr double kOfFrequency = 4, kOfLogarithm = 2, kOfCoordinate = 4, kOfScale = 2;
/// Rows that an estimate looks at.
constexpr std::int64_t kAngleErrorsLookedAt = 256;
/// Where the frequency's error could turn a pair farther than this, deviations are no longer told apart by their sines.
constexpr double kAngleErrorsFarthest = 0.5;

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
void add_recurrence_angle_errors(const CheckModel& model, AngleErrors& errors) {
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
    errors.of_pair[p] += kAngleErrorsRounding * (of_frequency + of_row);
    errors.of_row[p] += kAngleErrorsRounding * of_row;
  }
}

/// Rows spread over all of them without a period: every id of a grid has its turn.
std::vector<std::int64_t> rows_to_look_at_angle_errors(std::int64_t rows) {
  constexpr double kGolden = 0.6180339887498949;
  std::vector<std::int64_t> looked;
  const std::int64_t count = std::min(rows, kAngleErrorsLookedAt);
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
    const double of_cosine = std::abs(amplitude_of_cosine), of_sine = std::abs(amplitude_of_sine);
    for (std::size_t pair = 0; pair < sums.size(); ++pair) {
      const double angle = angle_[pair];
      if (angle == 0 || !(errors.of_pair[pair] * size_[pair] < kAngleErrorsFarthest)) continue;
      const double cosine = amplitude_of_cosine * std::cos(angle), sine = amplitude_of_sine * std::sin(angle);
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
  return kAngleErrorsRounding * (kOfFrequency + kOfLogarithm * std::abs(std::log(std::abs(frequency))));
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
    errors.of_row.push_back(kAngleErrorsRounding * of_row);
    errors.of_pair.push_back(of_frequency + of_fit + kAngleErrorsRounding * of_row);
  }
  if (model.recurrence) add_recurrence_angle_errors(model, errors);
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
  for (const std::int64_t row : rows_to_look_at_angle_errors(std::min(tables.rows, model.row_count)))
    deviations.add(row, errors, sums);
  for (std::size_t pair = 0; pair < allowed.size(); ++pair) {
    const bool one_axis = (model.tokens.frequencies.col(static_cast<Eigen::Index>(pair)).array() != 0).count() == 1;
    if (!one_axis || !(sums[pair].squares > 0)) continue;
    const double estimate = std::abs(sums[pair].deviation) + sums[pair].noise;
    allowed[pair] = std::min(allowed[pair], estimate / sums[pair].squares + errors.of_row[pair]);
  }
  return allowed;
}

}  // namespace ropescope
