// Helpers of the context-extension methods, shared with the readers of configs and tables: parameters, ramps, YaRN's
// amplitude. To compute a ladder, use scaling.h.
#pragma once

#include <string_view>
#include <utility>

#include "core/scaling/scaling.h"

namespace ropescope {

/// Returns the value of a parameter, or its default. Precondition: the method has that parameter.
double parameter_or_default(const ScalingInput& input, std::string_view name);

/// Returns the kept fraction of each pair: 1 up to pair `low`, falling to 0 at pair `high` (index ramp of the YaRN
/// repository). As there, equal ends are moved 0.001 apart; reversed ends give the result of the released code.
Eigen::VectorXd make_ramp(double low, double high, Eigen::Index pair_count);

/// Returns [c(fast), c(slow)], rounded outwards if truncated, and clamped to [0, d − 1] (not n − 1), as in the released
/// code.
std::pair<double, double> correction_range(const RotaryAxis& axis, double trained_length,
                                           std::pair<double, double> turns, bool truncate);

/// Returns the extension that is equivalent to the ladder of an axis: none, or proportional.
Extension to_extension(const RotaryAxis& axis);

/// Returns YaRN's amplitude for a factor: 0.1·mscale·ln s + 1 for s > 1, else 1.
double yarn_amplitude(double factor, double mscale);

/// Throws InputError "METHOD: PARAMETER is FOUND; expected EXPECTED".
[[noreturn]] void reject_parameter(const ScalingMethod& method, std::string_view parameter, double found,
                                   const Message& expected);
/// Throws InputError if the parameter `upper` is less than `lower`.
void require_order(const ScalingMethod& method, const Extension& extension, std::string_view lower,
                   std::string_view upper);

}  // namespace ropescope
