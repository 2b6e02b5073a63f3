#pragma once

#include <string>
#include <vector>

namespace ropescope {

/// For people: a true minus (U+2212), narrow no-break spaces (U+202F) between thousands from four digits on; a number
/// that rounds to zero has no sign. inf → "∞"; nan → "undefined". Rounded to a whole number: 85133 → "85 133"; from
/// 1e15 on as readable_number: 4.87e15 → "4.87 × 10¹⁵".
std::string readable_integer(double value);
/// With `digits` significant digits, trailing zeros kept only if keep_zeros; digits before the point are never cut off:
/// 54410.28 → "54 410". Below 1e-4, from 1e15 on, and for fractional values from 1e9 on as "1.5 × 10⁻⁵" or "10⁻⁵".
std::string readable_number(double value, int digits = 4, bool keep_zeros = false);
/// With a fixed number of decimals (similarities: "0.5157", "−0.0990"); from 1e15 on as readable_number.
std::string readable_fixed(double value, int decimals);
/// "(0, 17, 41)": ids or their differences; "17" alone.
std::string ids_text(const std::vector<double>& ids);

/// A number with the way it is written.
struct ShownNumber {
  enum class As { whole, digits, fixed };
  double value = 0;
  As as = As::whole;
  int digits = 0;  ///< significant ones, or decimals
};
template <class Number>
ShownNumber as_whole(Number value) {
  return {static_cast<double>(value), ShownNumber::As::whole, 0};
}
inline ShownNumber with_digits(double value, int digits) {
  return {value, ShownNumber::As::digits, digits};
}
inline ShownNumber with_decimals(double value, int decimals) {
  return {value, ShownNumber::As::fixed, decimals};
}
std::string readable(const ShownNumber& number);

/// "10⁶", "10⁻³".
std::string power_of_ten(int exponent);

/// For machines: the shortest text that reads back to the same double, as std::to_chars gives it, that is the shorter
/// one of plain and scientific form: "0.1", "131072", "1e+05", "1e-09", "inf", "nan".
std::string shortest_number(double value);

}  // namespace ropescope
