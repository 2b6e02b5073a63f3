#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/precision/precision.h"

namespace ropescope {

namespace {

constexpr int kDoubleBits = 52, kDoubleBias = 1023;

struct Format {
  int fraction_bits;     ///< after the leading one
  int smallest_normal;   ///< exponent of the smallest normal number
  int largest_exponent;  ///< of the largest finite number
};

/// 2^exponent. Precondition: a normal double.
double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + kDoubleBias) << kDoubleBits);
}

double rounding_rounded(double value, const Format& format) {
  if (!std::isfinite(value)) return value;
  const double magnitude = std::abs(value);
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> kDoubleBits) - kDoubleBias;
  if (exponent > format.largest_exponent) return std::copysign(std::numeric_limits<double>::infinity(), value);
  // Below the smallest normal number the step no longer shrinks. Scaling by powers of two is exact, and the scaled
  // number is far below 2^52, so that nearbyint (to nearest, ties to even, by default) is the only rounding.
  const int step = (exponent < format.smallest_normal ? format.smallest_normal : exponent) - format.fraction_bits;
  const double nearest = std::nearbyint(magnitude * power_of_two(-step)) * power_of_two(step);
  // A number may have rounded up to the power of two that is the first without a place.
  if (nearest >= power_of_two(format.largest_exponent + 1)) {
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  }
  return std::copysign(nearest, value);
}

}  // namespace

double round_to_float32(double value) {
  return rounding_rounded(value, {23, -126, 127});
}

double round_to_bfloat16(double value) {
  return rounding_rounded(value, {7, -126, 127});
}

double round_to_float16(double value) {
  return rounding_rounded(value, {10, -14, 15});
}

}  // namespace ropescope
