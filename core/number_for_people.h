#pragma once

#include <string>

namespace ropescope {

/// From here on not every digit of a double is its own.
inline constexpr double kLargestPlainNumber = 1e15;

/// In sentences: a true minus (U+2212), narrow no-break spaces (U+202F) between thousands, trailing zeros kept only if
/// keep_zeros; digits before the point are never cut off: 54410.28 with 4 digits is "54 410". Below 1e-4, from 1e15 on,
/// and for fractional values from 1e9 on as "1.5 × 10⁻⁵" or "10⁻⁵". inf → "∞"; nan → "undefined".
std::string number_for_people(double value, int digits = 7, bool keep_zeros = false);
/// With a fixed number of decimals; from 1e15 on as number_for_people.
std::string decimals_for_people(double value, int decimals);
/// "10⁶", "10⁻³".
std::string ten_to_the(int exponent);

}  // namespace ropescope
