// Rounding to the 16-bit formats, bit for bit: every number of a format, every midpoint of two neighbours and the
// doubles next to each midpoint. The formats are decoded here from their definition, independently of the code under
// test.

#include <bit>

#include "core/precision/precision.h"

#include "tests/test.h"

namespace ropescope {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Format {
  const char* name;
  double (*round)(double);
  int exponent_bits, fraction_bits;
};

/// IEEE 754: (1 + fraction)·2^(exponent − bias), without the one and at the smallest exponent where that is 0; the
/// largest exponent holds infinity and NaN.
double decoded(const Format& format, std::uint32_t bits) {
  const std::uint32_t fractions = 1u << format.fraction_bits, exponents = 1u << format.exponent_bits;
  const auto fraction = static_cast<int>(bits % fractions);
  const auto exponent = static_cast<int>(bits / fractions % exponents);
  const double sign = bits / fractions / exponents ? -1 : 1;
  const int bias = static_cast<int>(exponents) / 2 - 1;
  if (exponent == static_cast<int>(exponents) - 1) {
    return fraction == 0 ? sign * kInfinity : std::numeric_limits<double>::quiet_NaN();
  }
  const int leading = exponent == 0 ? 0 : static_cast<int>(fractions);
  return sign * std::ldexp(leading + fraction, (exponent == 0 ? 1 : exponent) - bias - format.fraction_bits);
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

class Rounding16 : public testing::TestWithParam<Format> {};

TEST_P(Rounding16, EveryNumberOfTheFormatIsKept) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const double value = decoded(GetParam(), bits);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(GetParam().round(value)));
    } else {
      ASSERT_TRUE(same_bits(GetParam().round(value), value)) << bits << ": " << value;
    }
  }
}

TEST_P(Rounding16, MidpointsGoToTheEvenNumberAndTheirNeighboursToTheNearOne) {
  const Format& format = GetParam();
  const std::uint32_t infinity = ((1u << format.exponent_bits) - 1) << format.fraction_bits;
  int ties = 0;
  for (std::uint32_t bits = 0; bits < infinity; ++bits) {
    const double low = decoded(format, bits), high = decoded(format, bits + 1);
    // Above the largest number the midpoint is where the next one would begin to be the nearest.
    const double step = std::isinf(high) ? low - decoded(format, bits - 1) : high - low;
    const double middle = low + step / 2;
    const double even = bits % 2 == 0 ? low : high;
    for (const double sign : {1.0, -1.0}) {
      ASSERT_TRUE(same_bits(format.round(sign * middle), sign * even)) << middle;
      ASSERT_TRUE(same_bits(format.round(sign * std::nextafter(middle, 0)), sign * low)) << middle;
      ASSERT_TRUE(same_bits(format.round(sign * std::nextafter(middle, kInfinity)), sign * high)) << middle;
    }
    ++ties;
  }
  EXPECT_EQ(ties, static_cast<int>(infinity));
}

TEST_P(Rounding16, OverflowAndUnderflow) {
  const auto round = GetParam().round;
  for (const double huge : {1e39, 1e100, std::numeric_limits<double>::max(), kInfinity}) {
    EXPECT_EQ(round(huge), kInfinity);
    EXPECT_EQ(round(-huge), -kInfinity);
  }
  for (const double tiny : {1e-42, 1e-100, std::numeric_limits<double>::min(), 5e-324, 0.0}) {
    EXPECT_TRUE(same_bits(round(tiny), 0.0)) << tiny;
    EXPECT_TRUE(same_bits(round(-tiny), -0.0)) << tiny;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Rounding16,
                         testing::Values(Format{"bfloat16", round_to_bfloat16, 8, 7},
                                         Format{"float16", round_to_float16, 5, 10}),
                         [](const auto& entry) { return std::string(entry.param.name); });

// Through float a double just above a midpoint would first fall onto it, and then to the even side.
TEST(Rounding, TheDoubleIsRoundedOnce) {
  const double above = 1 + std::ldexp(1, -8) + std::ldexp(1, -40);
  EXPECT_EQ(round_to_bfloat16(above), 1 + std::ldexp(1, -7));
  EXPECT_EQ(round_to_bfloat16(static_cast<double>(static_cast<float>(above))), 1);
  const double above_half = 1 + std::ldexp(1, -11) + std::ldexp(1, -40);
  EXPECT_EQ(round_to_float16(above_half), 1 + std::ldexp(1, -10));
}

// The processor's own conversion, over doubles of every size and over midpoints of floats.
TEST(Rounding, Float32IsWhatTheProcessorDoes) {
  std::uint64_t state = 1;
  int normal = 0, subnormal = 0;
  for (int i = 0; i < 2'000'000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    // Exponents from −160 to 130 around float's own −149 … 127.
    const std::uint64_t exponent = 1023 - 160 + (state >> 40) % 291;
    std::uint64_t fraction = (state >> 3) & ((1ull << 52) - 1);
    if (i % 2 == 0) fraction = (fraction & ~((1ull << 29) - 1)) | 1ull << 28;  // halfway between two floats
    const auto value = std::bit_cast<double>((state >> 63) << 63 | exponent << 52 | fraction);
    const float expected = static_cast<float>(value);
    ASSERT_TRUE(same_bits(round_to_float32(value), static_cast<double>(expected))) << value;
    (std::fpclassify(expected) == FP_NORMAL ? normal : subnormal) += 1;
  }
  EXPECT_GT(normal, 100'000);
  EXPECT_GT(subnormal, 100'000);
  EXPECT_TRUE(std::isnan(round_to_float32(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Rounding, Float16KeepsWhatTheoryCounts) {
  int kept = 0;
  for (int position = 0; position < 512; ++position) kept += round_to_bfloat16(position) == position;
  EXPECT_EQ(kept, 384);
  EXPECT_EQ(round_to_float16(65519.999), 65504);
  EXPECT_EQ(round_to_float16(65520), kInfinity);
}

}  // namespace
}  // namespace ropescope
