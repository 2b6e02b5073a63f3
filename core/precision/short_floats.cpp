#include "core/precision/short_floats.h"

#include <bit>
#include <cmath>
#include <limits>

#include "core/precision/precision.h"

namespace ropescope {

std::uint16_t float16_bits(double value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7E00);
  const double magnitude = std::abs(round_to_float16(value));
  if (std::isinf(magnitude)) return static_cast<std::uint16_t>(sign | 0x7C00);
  // From here on all is exact: the rounded number has a bit pattern.
  if (magnitude < 0x1p-14) return static_cast<std::uint16_t>(sign + static_cast<int>(magnitude * 0x1p24));
  const int exponent = std::ilogb(magnitude);
  const int mantissa = static_cast<int>(std::ldexp(magnitude, 10 - exponent));  // 1024 … 2047
  return static_cast<std::uint16_t>(sign + ((exponent + 15) << 10) + (mantissa - 1024));
}

double float16_value(std::uint16_t bits) {
  const double sign = bits & 0x8000 ? -1 : 1;
  const std::uint64_t magnitude = bits & 0x7FFF;
  constexpr std::uint64_t kInfinity = 0x7C00;
  if (magnitude >= kInfinity) {
    return magnitude == kInfinity ? sign * std::numeric_limits<double>::infinity()
                                  : std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  }
  // Exponent and fraction in a double's places; only the exponent's zero point differs (15 against 1023), and the
  // product is exact for subnormal numbers too.
  return sign * (std::bit_cast<double>(magnitude << 42) * 0x1p1008);
}

std::uint16_t bfloat16_bits(double value) {
  if (std::isnan(value)) return static_cast<std::uint16_t>(std::signbit(value) ? 0xFFC0 : 0x7FC0);
  const auto exact = static_cast<float>(round_to_bfloat16(value));
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(exact) >> 16);
}

double bfloat16_value(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace ropescope
