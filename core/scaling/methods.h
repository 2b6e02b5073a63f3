// What the methods of context extension share: parameters, the plain ladder, ramps, the amplitude of YaRN. Whoever
// wants a ladder reads scaling.h.
#pragma once

#include <string_view>
#include <utility>

#include "core/scaling/scaling.h"

namespace ropescope {

// What several methods share: parameters, the plain ladder, ramps.

inline constexpr double kLargestFactor = 1e4;
/// Parameters for which any number above 0 makes sense begin here.
inline constexpr double kSmallest = 1e-3;
inline constexpr double kLargestAmplitude = 100;
constexpr ScalingField positive_parameter(std::string_view key, double initial, std::string_view symbol, int order,
                                          bool required = false) {
  return {.key = key,
          .minimum = kSmallest,
          .maximum = kLargestFactor,
          .initial = initial,
          .required = required,
          .symbol = symbol,
          .order = order};
}
/// A part of something, 0…1.
constexpr ScalingField part_parameter(std::string_view key, std::string_view symbol, int order, double least = 0) {
  return {.key = key, .minimum = least, .maximum = 1, .initial = 1, .linear = true, .symbol = symbol, .order = order};
}
inline constexpr ScalingField kFactor{.key = "rope.factor",
                                      .minimum = 1,
                                      .maximum = kLargestFactor,
                                      .initial = 4,
                                      .required = true,
                                      .says_how_far = true,
                                      .symbol = "S"};
inline constexpr ScalingField kBetaFast = positive_parameter("rope.beta_fast", 32, "B", 4);
inline constexpr ScalingField kBetaSlow = positive_parameter("rope.beta_slow", 1, "B", 5);
/// 0 stands for the amplitude of the method itself.
inline constexpr ScalingField kAttentionFactor{.key = "rope.attention_factor",
                                               .minimum = kSmallest,
                                               .maximum = kLargestAmplitude,
                                               .lowest = 0,
                                               .zero = "unit.by_method",
                                               .symbol = "A",
                                               .order = 16};

/// The given number, else the one that stands in for it. The parameter belongs to the method.
double number_of(const ScalingInput& input, std::string_view name);
/// The given number if any, for parameters that nothing stands in for.
std::optional<double> given_number(const ScalingInput& input, std::string_view name);
/// l: the current length, else the trained one. The method needs a trained length.
double current_length(const ScalingInput& input);

/// The plain ladder, every pair kept, those that do not turn still.
ScaledLadder plain_ladder(const RotaryAxis& axis);

/// θ = (1 − kept)·slowed + kept·plain for each pair, kept in 0 … 1: 1 is kept exactly, 0 interpolated exactly.
ScaledLadder blended_ladder(const Eigen::VectorXd& plain, const Eigen::VectorXd& slowed, const Eigen::VectorXd& kept);

/// The ladder of another base ≥ the axis's own (NTK kinds): the first pair does not change.
ScaledLadder rebased_ladder(const RotaryAxis& axis, double base);
/// b·stretch^(d/(d−2)), the base that divides the slowest frequency by `stretch`. One pair alone (d = 2) never changes.
double ntk_base(const RotaryAxis& axis, double stretch);

/// 1 up to pair `low`, falling to 0 at pair `high` (index ramp of the YaRN repository): the kept part of each pair.
/// Equal ends are 0.001 apart, as there. Ends that crossed give what the released code gives.
Eigen::VectorXd kept_between(double low, double high, Eigen::Index pair_count);

/// [c(fast), c(slow)], rounded outwards if truncated, and clamped to [0, d − 1] (not n − 1), as released.
std::pair<double, double> correction_range(const RotaryAxis& axis, double trained_length,
                                           std::pair<double, double> turns, bool truncate);

/// 1 for pairs that turn at least `fast` times in the trained length, 0 for at most `slow`, linear in turns between:
/// the ramp of the YaRN paper (arXiv 2309.00071, section 3.2). Equal ends make a step.
Eigen::VectorXd kept_by_turns(const Eigen::VectorXd& plain, double trained_length, double slow, double fast);

/// The ladder of an axis as the extension that says the same: none, or proportional.
Extension extension_of_ladder(const RotaryAxis& axis);

/// YaRN's amplitude for a factor: 0.1·mscale·ln s + 1 for s > 1, else 1.
double yarn_amplitude(double factor, double mscale);

/// Throws InputError "METHOD: PARAMETER is FOUND; EXPECTED was expected".
[[noreturn]] void reject_parameter(const ScalingMethod& method, std::string_view parameter, double found,
                                   const Words& expected);
/// Refuses a parameter below another.
void require_order(const ScalingMethod& method, const Extension& extension, std::string_view lower,
                   std::string_view upper);

}  // namespace ropescope
