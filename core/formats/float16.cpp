#include "core/formats/float16.h"

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
  const int exponent = (bits >> 10) & 0x1F;
  const int mantissa = bits & 0x3FF;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  if (exponent == 31) {
    return mantissa == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  }
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

}  // namespace ropescope
