// Maps of the atlas with more cells than pixels.

#include "app/experiment/rope_spec.h"
#include "app/figure/figure.h"
#include "app/figure/map_window.h"
#include "core/rotary/spec.h"
#include "tests/figures/atlas_view_fixture.h"

namespace ropescope {
namespace {

TEST_F(AtlasView, LargeMapsAreReducedAndPickedValuesStayExact) {
  experiment.rope.rotary_dim = 8;
  experiment.rope.base = 100;
  fields.positions = 8191;
  for (const AtlasValues values : {AtlasValues::rope_cos, AtlasValues::rope_angle}) {
    fields.values = values;
    const ViewResult result = draw();
    const Map& map = figure(result, "atlas").maps.at(0);
    ASSERT_EQ(map.cells->rows, 4096u);
    ASSERT_EQ(map.cells->columns, 4u);
    EXPECT_EQ(map.cells->reduction.rows_per_cell, 2u);
    EXPECT_EQ(map.cells->reduction.rows, 8191u);
    EXPECT_EQ(map.y, (Range{-0.5, 8191.5})) << "the last cell holds one row and reaches as far as the others";
    EXPECT_EQ(figure(result, "atlas").y.range, (Range{-0.5, 8190.5}));
    const Eigen::VectorXd frequencies = plain_frequencies(8, 100);
    for (std::size_t row = 0; row < 4096; row += 315) {
      for (std::size_t pair = 0; pair < 4; ++pair) {
        const double first = 2 * static_cast<double>(row), frequency = frequencies[static_cast<Eigen::Index>(pair)];
        const double middle = row == 4095 ? first : first + 0.5;
        EXPECT_NEAR(static_cast<double>(cell_of(map, row, pair)), middle * frequency, 5e-4) << "a float's rounding";
        const double exact = map.exact(static_cast<double>(pair), first);
        if (values == AtlasValues::rope_cos) EXPECT_NEAR(exact, std::cos(first * frequency), 1e-11);
        if (values == AtlasValues::rope_angle)
          EXPECT_NEAR(std::remainder(exact - first * frequency, 2 * std::numbers::pi), 0, 1e-11);
      }
    }
  }
}

TEST_F(AtlasView, SinesAndCosinesOfManyDimensionsAreDrawnApart) {
  fields.positions = 512;
  experiment.rope.rotary_dim = 256;
  EXPECT_EQ(draw().panels.size(), 2u);
  EXPECT_EQ(figure(draw(), "atlas").maps.at(0).cells->kinds, 2u);
  experiment.rope.rotary_dim = 3072;
  const ViewResult result = draw();
  ASSERT_EQ(result.panels.size(), 3u);
  EXPECT_TRUE(result.panels[1].beside);
  const Eigen::VectorXd frequencies = plain_frequencies(3072, 10000);
  for (const bool sines : {true, false}) {
    const Figure& half = figure(result, sines ? "atlas" : "atlas_cosine");
    const Map& map = half.maps.at(0);
    ASSERT_EQ(map.cells->columns, 1536u);
    EXPECT_EQ(map.wave, sines ? MapWave::sine : MapWave::cosine);
    EXPECT_EQ(half.x.range, (Range{-0.5, 3071.5})) << "dimensions";
    for (std::size_t pair = 0; pair < 1536; pair += 91) {
      const double angle = 300 * frequencies[static_cast<Eigen::Index>(pair)];
      const double expected = sines ? std::sin(angle) : std::cos(angle);
      EXPECT_NEAR(shown_of(map, 300, pair), expected, 2e-5);
      // The middle of a column is its dimension; beside it the mouse finds the same.
      const double step = (map.x.high - map.x.low) / 1536, x = map.x.low + step * (static_cast<double>(pair) + 0.5);
      EXPECT_EQ(x, static_cast<double>(2 * pair + (sines ? 0 : 1)));
      for (const double near : {x - 0.4, x, x + 0.4}) EXPECT_NEAR(map.exact(near, 300), expected, 1e-12);
      EXPECT_EQ(map.words(x + 0.4, 300).head, "dimension " + readable_integer(x) + ", position 300");
    }
  }
  point_at(20, 100);
  experiment.pointer->figure = "atlas_cosine";
  EXPECT_EQ(figure(draw(), "row").lines.size(), 4u) << "pointed at in either map";
  kAtlasView.react(experiment, {FigureEvent::Kind::click, "atlas_cosine", "", 20, 100.4});
  EXPECT_EQ(fields.row, 100);
}

/// What an image of `width` × `height` pixels shows of a map, every pixel by the painters' rule.
std::vector<double> seen(const Map& map, int width, int height) {
  MapWindow window;
  window.cells = map.cells;
  window.paint.place = {map.colours == MapColours::angle, map.range, map.wave};
  window.width = width;
  window.height = height;
  window.column_step = static_cast<double>(map.cells->columns) / width;
  window.row_step = static_cast<double>(map.cells->rows) / height;
  std::vector<double> values;
  for (int y = 0; y < height; ++y) {
    const Footprint rows = footprint(0, window.row_step, y, map.cells->rows);
    for (int x = 0; x < width; ++x) {
      values.push_back(value_at(window, footprint(0, window.column_step, x, map.cells->columns), rows));
    }
  }
  return values;
}

TEST_F(AtlasView, AReducedMapHasNoPatternThatIsNotInTheLadder) {
  experiment.rope.rotary_dim = 3072;
  fields.positions = 8192;
  constexpr int kWidth = 500, kHeight = 400;
  const Eigen::VectorXd frequencies = plain_frequencies(3072, 10000);
  for (const AtlasValues values : {AtlasValues::sinusoidal, AtlasValues::rope_cos, AtlasValues::rope_angle}) {
    fields.values = values;
    const Map map = figure(draw(), "atlas").maps.at(0);
    const std::vector<double> pixels = seen(map, kWidth, kHeight);
    int slow = 0, fast = 0;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        // How far the true angle turns over a pixel, downwards and across.
        const double m = 8192.0 * (y + 0.5) / kHeight, per_column = 1536.0 / kWidth;
        const double frequency = frequencies[static_cast<Eigen::Index>(per_column * (x + 0.5))];
        const double down = frequency * 8192 / kHeight, across = m * frequency * std::log(10000.0) / 1536 * per_column;
        const double value = pixels[static_cast<std::size_t>(y * kWidth + x)];
        const double turn = std::max(down, across);
        if (turn > 1.2 * std::numbers::pi) {
          ++fast;
          if (values == AtlasValues::rope_angle) ASSERT_TRUE(std::isnan(value)) << x << " " << y;
          if (values != AtlasValues::rope_angle) ASSERT_EQ(value, 0) << x << " " << y;
        } else if (turn < 0.25 * std::numbers::pi) {
          ++slow;
          const double expected = values == AtlasValues::rope_cos ? std::cos(m * frequency) : std::sin(m * frequency);
          if (values != AtlasValues::rope_angle) ASSERT_NEAR(value, expected, 0.45) << x << " " << y;
          if (values == AtlasValues::rope_angle)
            ASSERT_NEAR(std::remainder(value - m * frequency, 2 * std::numbers::pi), 0, 0.9);
        }
      }
    }
    EXPECT_GT(slow, kWidth * kHeight / 3);
    EXPECT_GT(fast, kWidth * kHeight / 6);
  }
}

TEST_F(AtlasView, ATitleSaysWhatIsTooFastToDraw) {
  for (const AtlasValues values : {AtlasValues::sinusoidal, AtlasValues::rope_sin, AtlasValues::rope_angle}) {
    fields.values = values;
    const char* word = values == AtlasValues::rope_angle ? "hatched" : "faded";
    fields.positions = 8192;
    EXPECT_NE(figure(draw(), "atlas").title.find(word), std::string::npos);
    fields.positions = 100;
    EXPECT_EQ(figure(draw(), "atlas").title.find(word), std::string::npos);
  }
}

}  // namespace
}  // namespace ropescope
