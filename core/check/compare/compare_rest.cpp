#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/check/compare/angle_errors.h"
#include "core/check/compare/compare.h"
#include "core/check/compare/pieces.h"
#include "core/check/compare/tolerances.h"
#include "core/check/model/ladders.h"
#include "core/check/phrases.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// Products and sums of a rotation in the format of the vectors: each of cos, sin, the two products and the sum may be
/// rounded (Hugging Face's Llama in bfloat16).
constexpr double kRoundings = 2.5;

/// Numbers of a row; of frequencies, which are one row, the pair is named.
void require_finite_compare_rest(const StoredTensor& tensor, const double* numbers, std::int64_t count,
                                 std::optional<std::int64_t> row) {
  const double* found = std::find_if(numbers, numbers + count, [](double number) { return !std::isfinite(number); });
  if (found == numbers + count) return;
  throw InputError(tensor.name, row ? "check.odd_number" : "check.odd_frequency",
                   {{"place", row.value_or(found - numbers)}, {"found", odd_number(*found)}});
}

/// What is no number is beyond every tolerance.
double beyond(double difference, double tolerance) {
  const double excess = difference - tolerance;
  return std::isnan(excess) ? std::numeric_limits<double>::infinity() : excess;
}

/// Keeps the place of the largest |difference|, the first of equal ones; what saw no row (row −1) changes nothing.
void keep_compare_rest(Difference& best, const Difference& found) {
  if (found.row < 0) return;
  const double excess = std::max(best.excess, found.excess), most = std::max(best.size(), found.size());
  const bool single = best.computed_in_float32 || found.computed_in_float32;
  const bool better =
      best.row < 0 || found.shows_more_than(best) || (!best.shows_more_than(found) && found.row < best.row);
  if (better) best = found;
  best.excess = excess;
  best.most = most;
  best.computed_in_float32 = single;
}

bool shows_what_float32_gives(const StoredTensor& tensor) {
  return tensor.storage == Storage::float64;
}

/// The frequencies of an axis where those of every axis are the same; empty where they are not, or it is the only one.
std::vector<double> shared_ladder(const CheckModel& model) {
  const Eigen::MatrixXd& frequencies = model.tokens.frequencies;
  std::vector<double> shared;
  for (Eigen::Index axis = 0; axis < frequencies.rows() && frequencies.rows() > 1; ++axis) {
    std::vector<double> own;
    for (const double frequency : frequencies.row(axis)) {
      if (frequency != 0) own.push_back(rounded_to(model.frequency_format, frequency));
    }
    if (axis > 0 && own != shared) return {};
    shared = std::move(own);
  }
  return shared;
}

}  // namespace

double id_tolerance(const StorageUnit& unit, double expected) {
  constexpr double kFloat32 = 1e-7;  // units of float32 and float64 are below it
  const bool whole = expected == std::floor(expected);
  if (whole) return unit.scale < kFloat32 ? unit.at(expected) : 0;
  return unit.at(expected) + kAngleError * std::max(std::abs(expected), 1.0);
}

double frequency_tolerance(const StorageUnit& unit, double expected) {
  if (expected == 0) return unit.at(expected);
  return unit.at(expected) + frequency_error(expected) * std::abs(expected);
}

ChannelRole role_of(const CheckModel& model, Eigen::Index channel, Eigen::Index pairs) {
  ChannelRole role;
  if (model.out_by_halves) {
    role.pair = channel % pairs;
    role.source = 2 * role.pair + channel / pairs;
    role.companion = role.source ^ 1;
    role.sign = channel < pairs ? -1 : 1;
    return role;
  }
  role.source = channel;
  role.pair = model.repeats == Pairing::interleaved ? channel / 2 : channel % pairs;
  if (model.companions == Pairing::interleaved) {
    role.companion = channel ^ 1;
    role.sign = channel % 2 == 0 ? -1 : 1;
  } else {
    role.companion = channel < pairs ? channel + pairs : channel - pairs;
    role.sign = channel < pairs ? -1 : 1;
  }
  return role;
}

RotationRule rotation_rule(const CheckModel& model, const StoredTensor& before, const StoredTensor& after) {
  RotationRule rule;
  const bool rounded = model.vector_format != ShortFormat::none;
  rule.unit = loose_unit_of(after);
  if (rounded) rule.unit = coarser(loose_unit_of(model.vector_format), rule.unit);
  rule.strict_unit = unit_of(after);
  rule.strict = !rounded && shows_what_float32_gives(after) && shows_what_float32_gives(before);
  const StorageUnit usual =
      rounded ? coarser(usual_unit_of(model.vector_format), usual_unit_of(after)) : usual_unit_of(after);
  rule.arithmetic = kRoundings * std::max(usual_unit_of(before).scale, usual.scale) * model.largest_amplitude();
  // CUDA's cosf and sinf of a kernel compiled for speed, as ggml's are.
  constexpr double kOfFastCosine = 0x1p-21;
  if (model.recurrence) rule.arithmetic += kOfFastCosine * model.largest_amplitude();
  rule.angle_error = angle_errors(model).of_pair;
  for (double& error : rule.angle_error) error *= model.largest_amplitude();
  return rule;
}

ChannelJudgement judge_channel(const CheckModel& model, const RotationRule& rule, const TableRowView& row,
                               const double* before, const double* after, Eigen::Index channel) {
  const ChannelRole role = role_of(model, channel, row.pairs);
  const double x = before[role.source], y = before[role.companion], angle = row.size[role.pair];
  ChannelJudgement judged;
  judged.pair = role.pair;
  judged.expected = x * row.cosine[role.pair] + role.sign * y * row.sine[role.pair];
  judged.difference = std::abs(after[channel] - judged.expected);
  judged.length = std::abs(x) + std::abs(y);
  judged.tolerance = rule.unit.at(judged.expected) +
                     judged.length * (rule.arithmetic + rule.angle_error[static_cast<std::size_t>(role.pair)] * angle +
                                      kTableNoise * (1 + angle));
  return judged;
}

ChannelJudgement judge_of_head(const CheckModel& model, const RotationRule& rule, const TableRowView& row,
                               const double* before, const double* after, Eigen::Index channel) {
  const Eigen::Index turned = channel - model.still;
  if (turned >= 0 && turned < 2 * row.pairs) {
    return judge_channel(model, rule, row, before + model.still, after + model.still, turned);
  }
  ChannelJudgement judged;
  judged.pair = -1;
  judged.expected = before[channel];
  judged.length = std::abs(judged.expected);
  judged.difference = std::abs(after[channel] - judged.expected);
  judged.tolerance = rule.unit.at(judged.expected) + rule.arithmetic * judged.length;
  return judged;
}

HeadJudgement judge_head(const CheckModel& model, const RotationRule& rule, const TableRowView& row,
                         const double* before, const double* after) {
  HeadJudgement judged;
  judged.largest = -1, judged.tolerance = 0;
  for (Eigen::Index channel = 0; channel < std::max<Eigen::Index>(row.channels, 2 * row.pairs); ++channel) {
    const ChannelJudgement one = judge_of_head(model, rule, row, before, after, channel);
    judged.excess = std::max(judged.excess, beyond(one.difference, one.tolerance));
    if (one.pair >= 0) {
      const double strict =
          rule.strict_unit.at(one.expected) + one.length * (kStrict + 4 * kTableNoise * (1 + row.size[one.pair]));
      judged.strict_excess = std::max(judged.strict_excess, one.difference - strict);
    }
    judged.most = std::max(judged.most, one.difference);
    // The channel to be shown, as Difference::shows_more_than.
    const bool is_beyond = one.difference > one.tolerance, kept_beyond = judged.largest > judged.tolerance;
    if (is_beyond != kept_beyond ? kept_beyond : one.difference <= judged.largest) continue;
    judged.largest = one.difference;
    judged.tolerance = one.tolerance;
    judged.pair = one.pair;
  }
  return judged;
}

bool compare_heads(const CheckModel& model, const HeadVectors& heads, const CheckOptions& options,
                   Comparison& comparison) {
  const ExpectedRows expected(model);
  const RotationRule rule = rotation_rule(model, heads.before, heads.after);
  const Eigen::Index pairs = model.tokens.pair_count();
  const std::int64_t width = heads.heads * heads.channels;
  Difference best;
  const auto judge = [&](const RowPiece& piece) {
    std::vector<double> cosine(static_cast<std::size_t>(pairs)), sine(cosine), size(cosine);
    std::vector<double> before(static_cast<std::size_t>(width)), after(before);
    Difference mine;
    for (std::int64_t r = piece.first; r < piece.first + piece.count; ++r) {
      expected.rows(r, 1, cosine.data(), sine.data(), size.data());
      read_rows(heads.before, r, 1, before.data());
      read_rows(heads.after, r, 1, after.data());
      require_finite_compare_rest(heads.before, before.data(), width, r);
      require_finite_compare_rest(heads.after, after.data(), width, r);
      for (std::int64_t head = 0; head < heads.heads; ++head) {
        const std::int64_t at = head * heads.channels;
        const HeadJudgement judged =
            judge_head(model, rule, {cosine.data(), sine.data(), size.data(), pairs, heads.channels},
                       before.data() + at, after.data() + at);
        keep_compare_rest(mine, {judged.largest, judged.tolerance, r, judged.pair, head, judged.excess,
                                 rule.strict && judged.strict_excess > 0, judged.most});
      }
    }
    return [&best, mine] { keep_compare_rest(best, mine); };
  };
  const bool done = share_rows(heads.rows, options, [&] { return judge; });
  best.computed_in_float32 = best.computed_in_float32 && best.agrees();
  comparison.inputs.emplace_back("after", best);
  return done;
}

bool compare_ids(const CheckModel& model, const StoredTensor& ids, const CheckOptions& options,
                 Comparison& comparison) {
  const RowEvaluator evaluator(model);
  const StorageUnit unit = unit_of(ids);
  const auto axes = static_cast<std::size_t>(ids.shape[1]);
  Difference best;
  const auto judge = [&](const RowPiece& piece) {
    std::vector<double> expected(axes), found(axes);
    Difference mine;
    for (std::int64_t r = piece.first; r < piece.first + piece.count; ++r) {
      evaluator.ids(r, expected.data());
      read_rows(ids, r, 1, found.data());
      require_finite_compare_rest(ids, found.data(), static_cast<std::int64_t>(axes), r);
      for (std::size_t axis = 0; axis < axes; ++axis) {
        const double difference = std::abs(found[axis] - expected[axis]);
        const double tolerance = id_tolerance(unit, expected[axis]);
        keep_compare_rest(mine, {difference, tolerance, r, static_cast<std::int64_t>(axis), -1,
                                 beyond(difference, tolerance), false});
      }
    }
    return [&best, mine] { keep_compare_rest(best, mine); };
  };
  const bool done = share_rows(ids.shape[0], options, [&] { return judge; });
  comparison.inputs.emplace_back("ids", best);
  return done;
}

std::vector<double> stored_frequencies(const CheckModel& model) {
  const Eigen::MatrixXd& frequencies = model.tokens.frequencies;
  std::vector<double> stored;
  if (is_mixed(frequencies)) {
    for (const double frequency : frequencies.transpose().reshaped()) stored.push_back(frequency);
  } else {
    for (Eigen::Index pair = 0; pair < frequencies.cols(); ++pair) stored.push_back(frequencies.col(pair).sum());
  }
  for (double& frequency : stored) frequency = rounded_to(model.frequency_format, frequency);
  return stored;
}

DueFrequencies due_frequencies(const CheckModel& model, std::size_t count) {
  DueFrequencies due;
  due.values = stored_frequencies(model);
  if (count != due.values.size()) {
    std::vector<double> turning = due.values, shared = shared_ladder(model);
    while (!turning.empty() && turning.back() == 0) turning.pop_back();
    if (count == turning.size()) {
      due.values = std::move(turning), due.of = ListOf::turning_pairs;
    } else if (count == shared.size()) {
      due.values = std::move(shared), due.of = ListOf::shared_ladder;
    }
  }
  due.compared = std::min(count, due.values.size());
  due.counted = count == due.values.size() || static_cast<std::int64_t>(count) == model.listed;
  return due;
}

void compare_frequencies(const CheckModel& model, const StoredTensor& frequencies, Comparison& comparison) {
  const DueFrequencies due = due_frequencies(model, static_cast<std::size_t>(frequencies.shape[0]));
  const std::vector<double>& expected = due.values;
  std::vector<double> found(static_cast<std::size_t>(frequencies.shape[0]));
  read_rows(frequencies, 0, frequencies.shape[0], found.data());
  require_finite_compare_rest(frequencies, found.data(), frequencies.shape[0], std::nullopt);
  const StorageUnit unit = loose_unit_of(frequencies);
  const bool strict = shows_what_float32_gives(frequencies);
  Difference best;
  for (std::size_t i = 0; i < due.compared; ++i) {
    const double difference = std::abs(found[i] - expected[i]);
    const double tolerance = frequency_tolerance(unit, expected[i]);
    keep_compare_rest(best,
                      {difference, tolerance, 0, static_cast<std::int64_t>(i), -1, beyond(difference, tolerance),
                       strict && difference > kStrict * std::abs(expected[i]) + unit_of(frequencies).at(expected[i])});
  }
  if (!due.counted) {
    // What one side has alone differs by all that it is; it is the place to be shown where the others are right.
    const double alone = (found.size() > expected.size() ? found : expected)[due.compared];
    const bool others_agree = best.agrees();
    const Difference lacking{std::abs(alone),
                             frequency_tolerance(unit, alone),
                             0,
                             static_cast<std::int64_t>(due.compared),
                             -1,
                             std::numeric_limits<double>::infinity(),
                             false};
    keep_compare_rest(best, lacking);
    if (others_agree) best = lacking;
  }
  best.row = -1;
  best.computed_in_float32 = best.computed_in_float32 && best.agrees();
  comparison.inputs.emplace_back("frequencies", best);
}

}  // namespace ropescope
