#pragma once

#include <cstdint>

namespace ropescope {

/// IEEE 754 binary16. Rounds to nearest, ties to even, in one step from double (no detour over float, which would round
/// twice); beyond 65 504 + half a step it is infinity, below 2⁻²⁵ zero; signs of zero and NaN are kept.
std::uint16_t float16_bits(double value);
/// The value of a binary16; exact.
double float16_value(std::uint16_t bits);

/// bfloat16, the upper half of a float32: rounds once, as float16_bits does.
std::uint16_t bfloat16_bits(double value);
/// The value of a bfloat16; exact.
double bfloat16_value(std::uint16_t bits);

}  // namespace ropescope
