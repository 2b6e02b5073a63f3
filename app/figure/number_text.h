#pragma once

#include <string>

namespace ropescope {

/// For people: a true minus (U+2212), narrow no-break spaces (U+202F) between thousands from four digits on.
/// 85133 → "85 133"; −0.0529 → "−0.0529"; 4.87e15 → "4.87 × 10¹⁵"; inf → "∞"; nan → "undefined".
std::string readable_integer(double value);
/// With `digits` significant digits, trailing zeros kept only if keep_zeros.
std::string readable_number(double value, int digits = 4, bool keep_zeros = false);
/// With a fixed number of decimals (similarities: "0.5157", "−0.0990").
std::string readable_fixed(double value, int decimals);

/// For machines: the shortest text that reads back to the same double ("0.1", "1e-09", "inf", "nan").
std::string shortest_number(double value);

}  // namespace ropescope
