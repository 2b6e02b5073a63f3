#include "app/figure/palette.h"

#include "tests/test.h"

namespace ropescope {
namespace {

double linear(std::uint8_t channel) {
  const double value = channel / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

/// Oklab (Ottosson 2020): lightness, green-red, blue-yellow.
std::array<double, 3> oklab(Colour c) {
  const double r = linear(c.red), g = linear(c.green), b = linear(c.blue);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

double step(Colour a, Colour b) {
  const auto one = oklab(a), other = oklab(b);
  return std::sqrt(std::pow(one[0] - other[0], 2) + std::pow(one[1] - other[1], 2) + std::pow(one[2] - other[2], 2));
}

Map make_coloured_map(MapColours colours, Range range) {
  Map map;
  map.colours = colours;
  map.range = range;
  return map;
}

class ColourMap : public ::testing::TestWithParam<ThemeName> {
 protected:
  Palette colours = palette(GetParam());
};

TEST_P(ColourMap, MagnitudeGrowsBrighterEvenly) {
  const ColourTable table = colour_table(MapColours::magnitude, colours);
  double before = -1;
  for (std::size_t i = 0; i < table.size(); i += 5) {
    const double lightness = oklab(table[i])[0];
    if (before >= 0) {
      EXPECT_GT(lightness, before) << i;
      EXPECT_LT(lightness - before, 0.025) << i;
    }
    before = lightness;
  }
  EXPECT_EQ(table.front(), (Colour{0x44, 0x01, 0x54, 255}));
  EXPECT_EQ(table.back(), (Colour{0xfd, 0xe7, 0x25, 255}));
}

TEST_P(ColourMap, SignedValuesMeetAtTheGroundAndLeaveItEquallyFast) {
  const Map map = make_coloured_map(MapColours::signed_value, {-2, 2});
  const Colour zero = colour_of(map, 0, colours);
  EXPECT_LT(step(zero, colours.canvas), 0.06);
  EXPECT_LT(step(zero, colours.panel), 0.06);
  double before = 0;
  for (const double value : {0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0}) {
    const Colour blue = colour_of(map, value, colours), orange = colour_of(map, -value, colours);
    EXPECT_GT(blue.blue, blue.red) << value;
    EXPECT_GT(orange.red, orange.blue) << value;
    const double away = std::abs(oklab(blue)[0] - oklab(zero)[0]);
    EXPECT_GT(away, before) << value;
    EXPECT_NEAR(std::abs(oklab(orange)[0] - oklab(zero)[0]), away, 0.09) << value;
    before = away;
  }
}

TEST_P(ColourMap, AnglesComeRoundInEqualSteps) {
  const ColourTable table = colour_table(MapColours::angle, colours);
  double least = 1, most = 0;
  for (std::size_t i = 0; i < table.size(); i += 8) {
    const double length = step(table[i], table[(i + 8) % table.size()]);
    least = std::min(least, length);
    most = std::max(most, length);
  }
  EXPECT_LT(most, 1.35 * least);
  const double turn = 2 * std::acos(-1.0);
  const Map map = make_coloured_map(MapColours::angle, {0, turn});
  for (const double angle : {0.0, 0.3, 2.0, 4.4}) {
    const Colour colour = colour_of(map, angle, colours);
    for (const int turns : {-3, 1, 7}) {
      EXPECT_LT(step(colour_of(map, angle + turns * turn, colours), colour), 0.004) << angle << " " << turns;
    }
  }
  EXPECT_EQ(colour_of(map, 0, colours), colour_of(map, turn, colours));
  // Quarters of a turn can be told apart, also where colours cannot be.
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < i; ++k) {
      EXPECT_GT(step(colour_of(map, i * turn / 4, colours), colour_of(map, k * turn / 4, colours)), 0.25) << i << k;
    }
  }
}

TEST_P(ColourMap, EndsHoldAndNothingIsTransparent) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const MapColours kind : {MapColours::magnitude, MapColours::signed_value}) {
    const Map map = make_coloured_map(kind, {3, 5});
    const ColourTable table = colour_table(kind, colours);
    for (const double low : {3.0, 2.9, -1e300, -infinity}) EXPECT_EQ(colour_of(map, low, colours), table.front());
    for (const double high : {5.0, 5.1, 1e300, infinity}) EXPECT_EQ(colour_of(map, high, colours), table.back());
    EXPECT_EQ(colour_of(map, nan, colours).alpha, 0);
    EXPECT_EQ(colour_of(make_coloured_map(kind, {1, 1}), 1, colours), colour_of(map, 4, colours)) << "an empty range";
  }
  const Map angle = make_coloured_map(MapColours::angle, {0, 1});
  for (const double value : {nan, infinity, -infinity}) EXPECT_EQ(colour_of(angle, value, colours).alpha, 0);
}

INSTANTIATE_TEST_SUITE_P(Themes, ColourMap, ::testing::Values(ThemeName::dark, ThemeName::light),
                         [](const auto& theme) { return theme.param == ThemeName::dark ? "dark" : "light"; });

}  // namespace
}  // namespace ropescope
