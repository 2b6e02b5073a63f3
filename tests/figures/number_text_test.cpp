#include "app/figure/figure.h"

#include <charconv>

#include "tests/test.h"

namespace ropescope {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNumberTextNaN = std::numeric_limits<double>::quiet_NaN();

TEST(NumberText, IntegersInGroupsOfThree) {
  EXPECT_EQ(readable_integer(0), "0");
  EXPECT_EQ(readable_integer(-0.2), "0");
  EXPECT_EQ(readable_integer(999), "999");
  EXPECT_EQ(readable_integer(1707), "1\u202f707");
  EXPECT_EQ(readable_integer(85133), "85\u202f133");
  EXPECT_EQ(readable_integer(-16777216), "\u221216\u202f777\u202f216");
  EXPECT_EQ(readable_integer(999999999999999), "999\u202f999\u202f999\u202f999\u202f999");
  EXPECT_EQ(readable_integer(4.87e15), "4.87 × 10¹⁵");
  EXPECT_EQ(readable_integer(kInfinity), "∞");
  EXPECT_EQ(readable_integer(-kInfinity), "\u2212∞");
  EXPECT_EQ(readable_integer(kNumberTextNaN), "undefined");
}

TEST(NumberText, SignificantDigits) {
  EXPECT_EQ(readable_number(-0.0529), "\u22120.0529");
  EXPECT_EQ(readable_number(0.05287), "0.05287");
  EXPECT_EQ(readable_number(0.052874), "0.05287");
  EXPECT_EQ(readable_number(0.5), "0.5");
  EXPECT_EQ(readable_number(0.5, 4, true), "0.5000");
  EXPECT_EQ(readable_number(0), "0");
  EXPECT_EQ(readable_number(999.96), "1\u202f000");
  EXPECT_EQ(readable_number(54410.28), "54\u202f410");
  EXPECT_EQ(readable_number(131072), "131\u202f072");
  EXPECT_EQ(readable_number(500000, 7), "500\u202f000");
  EXPECT_EQ(readable_number(1e12, 7), "1\u202f000\u202f000\u202f000\u202f000");
  EXPECT_EQ(readable_number(1.01, 7), "1.01");
  EXPECT_EQ(readable_number(3141592653.59), "3.142 × 10⁹");
  EXPECT_EQ(readable_number(1e-5), "10⁻⁵");
  EXPECT_EQ(readable_number(-1.5e-12), "\u22121.5 × 10⁻¹²");
  EXPECT_EQ(readable_number(0.0001), "0.0001");
  EXPECT_EQ(readable_number(4.87e15), "4.87 × 10¹⁵");
  EXPECT_EQ(readable_number(1e300), "10³⁰⁰");
}

TEST(NumberText, FixedDecimals) {
  EXPECT_EQ(readable_fixed(0.5157, 4), "0.5157");
  EXPECT_EQ(readable_fixed(-0.099, 4), "\u22120.0990");
  EXPECT_EQ(readable_fixed(-0.00001, 4), "0.0000");
  EXPECT_EQ(readable_fixed(12345.678, 1), "12\u202f345.7");
  EXPECT_EQ(readable_fixed(999.99, 1), "1\u202f000.0");
  EXPECT_EQ(readable_fixed(kNumberTextNaN, 2), "undefined");
}

TEST(NumberText, HasTheThousandsOfTheLanguageWhileItIsDrawn) {
  {
    const ThousandsMark mark(",");
    EXPECT_EQ(readable_integer(1234567), "1,234,567");
    EXPECT_EQ(readable_fixed(12345.678, 1), "12,345.7");
    {
      const ThousandsMark inner("’");
      EXPECT_EQ(readable_integer(4096), "4’096");
    }
    EXPECT_EQ(readable_integer(4096), "4,096");
  }
  EXPECT_EQ(readable_integer(4096), "4\u202f096");
}

TEST(NumberText, LosesItsSeparatorsButNamesKeepTheirs) {
  EXPECT_EQ(without_separators("at 1\u202f000\u202f000 of 16\u202f777\u202f216"), "at 1000000 of 16777216");
  EXPECT_EQ(without_separators("Shot 9.41\u202fPM/1\u202f000.npy"), "Shot 9.41\u202fPM/1000.npy");
  EXPECT_EQ(without_separators("\u202f1\u202f"), "\u202f1\u202f");
  EXPECT_EQ(without_separators(""), "");
}

TEST(NumberText, ShortestAsToCharsGivesIt) {
  EXPECT_EQ(shortest_number(0.1), "0.1");
  EXPECT_EQ(shortest_number(131072), "131072");
  EXPECT_EQ(shortest_number(100000), "1e+05");
  EXPECT_EQ(shortest_number(1e-9), "1e-09");
  EXPECT_EQ(shortest_number(kInfinity), "inf");
  EXPECT_EQ(shortest_number(-kInfinity), "-inf");
  EXPECT_EQ(shortest_number(-kNumberTextNaN), "nan");
}

TEST(NumberText, ShortestReadsBackToTheSameDouble) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random();
    double value;
    static_assert(sizeof value == sizeof bits);
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    const std::string text = shortest_number(value);
    double back = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), back);
    ASSERT_EQ(result.ptr, text.data() + text.size());
    ASSERT_EQ(back, value) << text;
  }
}

}  // namespace
}  // namespace ropescope
