// What the methods of context extension share with who reads configs and tables: parameters, ramps, the amplitude of
// YaRN. Whoever wants a ladder reads scaling.h.
#pragma once

#include <string_view>
#include <utility>

#include "core/scaling/scaling.h"

namespace ropescope {

/// The given number, else the one that stands in for it. The parameter belongs to the method.
double number_of(const ScalingInput& input, std::string_view name);

/// 1 up to pair `low`, falling to 0 at pair `high` (index ramp of the YaRN repository): the kept part of each pair.
/// Equal ends are 0.001 apart, as there. Ends that crossed give what the released code gives.
Eigen::VectorXd kept_between(double low, double high, Eigen::Index pair_count);

/// [c(fast), c(slow)], rounded outwards if truncated, and clamped to [0, d − 1] (not n − 1), as released.
std::pair<double, double> correction_range(const RotaryAxis& axis, double trained_length,
                                           std::pair<double, double> turns, bool truncate);

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
