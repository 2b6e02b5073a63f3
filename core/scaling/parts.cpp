#include "core/scaling/parts.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/rotary/frequencies.h"

namespace ropescope {

double number_of(const ScalingInput& input, std::string_view name) {
  if (const auto given = given_number(input, name)) return *given;
  return find_parameter(find_scaling_method(input.extension.method), name)->initial;
}

std::optional<double> given_number(const ScalingInput& input, std::string_view name) {
  const auto found = input.extension.numbers.find(std::string(name));
  if (found == input.extension.numbers.end()) return std::nullopt;
  return found->second;
}

double current_length(const ScalingInput& input) {
  return input.length.value_or(*input.trained_length);
}

ScaledLadder plain_ladder(const RotaryAxis& axis) {
  ScaledLadder ladder;
  ladder.frequencies = axis_frequencies(axis);
  for (const double frequency : ladder.frequencies) {
    ladder.treatment.push_back(frequency == 0 ? PairTreatment::still : PairTreatment::kept);
  }
  if (axis.ladder == Ladder::plain) ladder.effective_base = axis.base;
  return ladder;
}

ScaledLadder blended_ladder(const Eigen::VectorXd& plain, const Eigen::VectorXd& slowed, const Eigen::VectorXd& kept) {
  ScaledLadder ladder;
  ladder.frequencies.resize(plain.size());
  for (Eigen::Index pair = 0; pair < plain.size(); ++pair) {
    const double frequency = slowed[pair] * (1 - kept[pair]) + plain[pair] * kept[pair];
    ladder.frequencies[pair] = frequency;
    // A blend of equal numbers may round to a neighbour of them: a method at factor 1 keeps every pair.
    const bool is_kept = kept[pair] == 1 || slowed[pair] == plain[pair];
    if (is_kept) ladder.frequencies[pair] = plain[pair];
    ladder.treatment.push_back(plain[pair] == 0  ? PairTreatment::still
                               : is_kept         ? PairTreatment::kept
                               : kept[pair] == 0 ? PairTreatment::interpolated
                                                 : PairTreatment::blended);
  }
  return ladder;
}

ScaledLadder rebased_ladder(const RotaryAxis& axis, double base) {
  RotaryAxis rebased = axis;
  rebased.base = base;
  ScaledLadder ladder = plain_ladder(rebased);
  if (base == axis.base) return ladder;
  for (std::size_t pair = 1; pair < ladder.treatment.size(); ++pair) {
    if (ladder.treatment[pair] == PairTreatment::kept) ladder.treatment[pair] = PairTreatment::blended;
  }
  return ladder;
}

double ntk_base(const RotaryAxis& axis, double stretch) {
  if (axis.rotary_dim == 2) return axis.base;
  const double d = axis.rotary_dim;
  return axis.base * std::pow(stretch, d / (d - 2));
}

Eigen::VectorXd kept_between(double low, double high, Eigen::Index pair_count) {
  constexpr double kGuard = 0.001;
  if (low == high) high += kGuard;
  Eigen::VectorXd kept(pair_count);
  for (Eigen::Index pair = 0; pair < pair_count; ++pair) {
    kept[pair] = 1 - std::clamp((static_cast<double>(pair) - low) / (high - low), 0.0, 1.0);
  }
  return kept;
}

namespace {

/// The pair (a real number) that turns `turns` times in the trained length: c(r) = d·ln(L/(2πr)) / (2·ln b).
double pair_of_turns(const RotaryAxis& axis, double trained_length, double turns) {
  return axis.rotary_dim * std::log(trained_length / (turns * 2 * std::numbers::pi)) / (2 * std::log(axis.base));
}

}  // namespace

std::pair<double, double> correction_range(const RotaryAxis& axis, double trained_length,
                                           std::pair<double, double> turns, bool truncate) {
  double low = pair_of_turns(axis, trained_length, turns.first);
  double high = pair_of_turns(axis, trained_length, turns.second);
  if (truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  return {std::max(low, 0.0), std::min(high, axis.rotary_dim - 1.0)};
}

Eigen::VectorXd kept_by_turns(const Eigen::VectorXd& plain, double trained_length, double slow, double fast) {
  Eigen::VectorXd kept(plain.size());
  for (Eigen::Index pair = 0; pair < plain.size(); ++pair) {
    const double turns = trained_length / wavelength(plain[pair]);
    const double step = turns >= fast ? 1 : 0;
    kept[pair] = slow == fast ? step : std::clamp((turns - slow) / (fast - slow), 0.0, 1.0);
  }
  return kept;
}

double yarn_amplitude(double factor, double mscale) {
  return factor > 1 ? 0.1 * mscale * std::log(factor) + 1 : 1;
}

}  // namespace ropescope
