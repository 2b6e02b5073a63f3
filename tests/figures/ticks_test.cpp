#include "app/figure/scene/ticks.h"

#include "tests/test.h"

namespace ropescope {
namespace {

using Labels = std::vector<std::string>;

FigureAxis axis_of(AxisScale scale, double low, double high, bool whole = false) {
  FigureAxis axis;
  axis.scale = scale;
  axis.range = axis.fit = {low, high};
  axis.whole = whole;
  return axis;
}

Labels labels_of(const std::vector<Tick>& ticks) {
  Labels labels;
  for (const Tick& tick : ticks) {
    if (!tick.label.empty()) labels.push_back(tick.label);
  }
  return labels;
}

Labels labels_of(AxisScale scale, double low, double high, double length, double gap) {
  return labels_of(make_ticks(axis_of(scale, low, high), length, gap));
}

TEST(AxisMap, ToValueUndoesToPixel) {
  for (const AxisScale scale : {AxisScale::linear, AxisScale::log, AxisScale::symlog}) {
    const AxisMap map{{scale == AxisScale::log ? 0.3 : -40.0, 131072}, scale, 500, 20};
    EXPECT_EQ(map.to_value(500), map.range.low);
    EXPECT_EQ(map.to_value(20), map.range.high);
    for (const double value : {0.31, 0.9, 1.0, 1.1, 77.0, 5000.0, 131071.0}) {
      EXPECT_NEAR(map.to_value(map.to_pixel(value)), value, 1e-9 * std::max(value, 1000.0));
    }
    double last = 501;
    for (double value = map.range.low; value < map.range.high; value += 13.7) {
      EXPECT_LT(map.to_pixel(value), last);
      last = map.to_pixel(value);
    }
  }
  EXPECT_TRUE(std::isnan((AxisMap{{1, 10}, AxisScale::log, 0, 1}.to_pixel(0))));
  // A decade of a symlog axis is as long as its way from 0 to 1, on both sides.
  const AxisMap symlog{{-100, 100}, AxisScale::symlog, 0, 600};
  EXPECT_DOUBLE_EQ(symlog.to_pixel(0), 300);
  EXPECT_DOUBLE_EQ(symlog.to_pixel(1), 400);
  EXPECT_DOUBLE_EQ(symlog.to_pixel(10), 500);
  EXPECT_DOUBLE_EQ(symlog.to_pixel(-10), 100);
}

TEST(AxisMap, ZoomKeepsTheValueUnderThePixel) {
  for (const AxisScale scale : {AxisScale::linear, AxisScale::log, AxisScale::symlog}) {
    AxisMap map{{1, 131072}, scale, 100, 900};
    const double value = map.to_value(350);
    const double length = map.to_pixel(5000) - map.to_pixel(2000);
    map.range = zoom(map, 350, 0.5);
    EXPECT_NEAR(map.to_pixel(value), 350, 1e-6);
    EXPECT_NEAR(map.to_pixel(5000) - map.to_pixel(2000), 2 * length, 1e-6);
  }
}

TEST(AxisMap, PanMovesWhatIsDrawnByThePixels) {
  for (const AxisScale scale : {AxisScale::linear, AxisScale::log, AxisScale::symlog}) {
    AxisMap map{{1, 131072}, scale, 100, 900};
    const double before = map.to_pixel(3000);
    map.range = pan(map, 40);
    EXPECT_NEAR(map.to_pixel(3000), before + 40, 1e-6);
    AxisMap y{{0.5, 2}, scale, 900, 100};
    const double y_before = y.to_pixel(1);
    y.range = pan(y, 40);
    EXPECT_NEAR(y.to_pixel(1), y_before + 40, 1e-6);
  }
}

TEST(AxisMap, RangesStayDrawableHoweverFarOneZoomsOrPans) {
  for (const AxisScale scale : {AxisScale::linear, AxisScale::log, AxisScale::symlog}) {
    for (const double factor : {0.5, 2.0}) {
      AxisMap map{{1, 10}, scale, 0, 800};
      for (int i = 0; i < 3000; ++i) {
        map.range = zoom(map, 300, factor);
        map.range = pan(map, 500);
        ASSERT_TRUE(std::isfinite(map.range.low) && std::isfinite(map.range.high));
        ASSERT_LT(map.range.low, map.range.high);
        ASSERT_TRUE(scale != AxisScale::log || map.range.low > 0);
        ASSERT_EQ(drawable_range(map.range, scale), map.range);
      }
    }
  }
}

TEST(AxisMap, DrawableRangeMendsWhatCannotBeDrawn) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const AxisScale scale : {AxisScale::linear, AxisScale::log, AxisScale::symlog}) {
    for (const Range& range : {Range{0, 0}, Range{5, 5}, Range{-3, -3}, Range{2, 1}, Range{nan, 1}, Range{0, infinity},
                               Range{1e15, 1e15}, Range{1e15, 1e15 + 0.5}, Range{-1e308, 1e308}, Range{0, 1e-320}}) {
      const Range mended = drawable_range(range, scale);
      EXPECT_LT(mended.low, mended.high);
      EXPECT_TRUE(std::isfinite(mended.low) && std::isfinite(mended.high));
      EXPECT_TRUE(scale != AxisScale::log || mended.low > 0);
    }
    const Range good{1e-3, 7};
    EXPECT_EQ(drawable_range(good, scale), good);
    // An end beyond all numbers: as far as can be drawn, so that what is finite is seen.
    EXPECT_EQ(drawable_range({1, infinity}, scale), (Range{1, 1e300}));
    const double lowest = scale == AxisScale::log ? 1 : -1e300;
    EXPECT_EQ(drawable_range({-infinity, infinity}, scale), (Range{lowest, 1e300}));
  }
}

TEST(Ticks, LinearLabelsShareTheirDecimals) {
  EXPECT_EQ(labels_of(AxisScale::linear, -0.3, 1.05, 560, 52),
            (Labels{"\u22120.2", "0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels_of(AxisScale::linear, 0, 131072, 600, 100), (Labels{"0", "50\u202f000", "100\u202f000"}));
  EXPECT_EQ(labels_of(AxisScale::linear, 0, 16777216, 900, 200),
            (Labels{"0", "5\u202f000\u202f000", "10\u202f000\u202f000", "15\u202f000\u202f000"}));
  EXPECT_EQ(labels_of(AxisScale::linear, 0, 2e-12, 300, 60),
            (Labels{"0", "0.5 × 10⁻¹²", "1.0 × 10⁻¹²", "1.5 × 10⁻¹²", "2.0 × 10⁻¹²"}));
  EXPECT_EQ(labels_of(AxisScale::linear, 0, 2e15, 200, 60), (Labels{"0", "1 × 10¹⁵", "2 × 10¹⁵"}));
  EXPECT_EQ(labels_of(AxisScale::linear, 0.999, 1.001, 300, 100), (Labels{"0.999", "1.000", "1.001"}));
}

TEST(Ticks, LogLabels) {
  EXPECT_EQ(labels_of(AxisScale::log, 1, 131072, 850, 40),
            (Labels{"1", "10", "100", "1\u202f000", "10\u202f000", "100\u202f000"}));
  EXPECT_EQ(labels_of(AxisScale::log, 1, 16777216, 850, 40),
            (Labels{"1", "10", "10²", "10³", "10⁴", "10⁵", "10⁶", "10⁷"}));
  EXPECT_EQ(labels_of(make_ticks(axis_of(AxisScale::log, 1, 131072), 850, 40, TickLabels::powers)),
            (Labels{"1", "10", "10²", "10³", "10⁴", "10⁵"}));
  EXPECT_EQ(labels_of(AxisScale::log, 1, 131072, 200, 60), (Labels{"1", "100", "10\u202f000"}));
  EXPECT_EQ(labels_of(AxisScale::log, 1e-3, 1, 400, 40), (Labels{"0.001", "0.01", "0.1", "1"}));
  EXPECT_EQ(labels_of(AxisScale::log, 1e-6, 1, 400, 40), (Labels{"10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "1"}));
  EXPECT_EQ(labels_of(AxisScale::log, 3, 60, 400, 40), (Labels{"5", "10", "20", "50"}));
  EXPECT_EQ(labels_of(AxisScale::log, 3e6, 6e7, 400, 40), (Labels{"5 × 10⁶", "10⁷", "2 × 10⁷", "5 × 10⁷"}));
  EXPECT_EQ(labels_of(AxisScale::log, 31, 48, 400, 40), (Labels{"35", "40", "45"}));
}

TEST(Ticks, LogMinorTicksAreTheTwosToNines) {
  std::vector<double> minor;
  for (const Tick& tick : make_ticks(axis_of(AxisScale::log, 1, 1000), 600, 40)) {
    if (!tick.major) minor.push_back(tick.value);
  }
  EXPECT_EQ(minor, (std::vector<double>{2,  3,  4,  5,  6,   7,   8,   9,   20,  30,  40,  50,
                                        60, 70, 80, 90, 200, 300, 400, 500, 600, 700, 800, 900}));
}

TEST(Ticks, SymlogLabelsAreMirrored) {
  EXPECT_EQ(labels_of(AxisScale::symlog, 0, 131072, 850, 60),
            (Labels{"0", "1", "10", "100", "1\u202f000", "10\u202f000", "100\u202f000"}));
  EXPECT_EQ(labels_of(AxisScale::symlog, -100, 100, 400, 50),
            (Labels{"\u2212100", "\u221210", "\u22121", "0", "1", "10", "100"}));
  EXPECT_EQ(labels_of(AxisScale::symlog, -0.3, 1.05, 560, 52),
            (Labels{"\u22120.2", "0", "0.2", "0.4", "0.6", "0.8", "1"}));
  EXPECT_EQ(labels_of(AxisScale::symlog, 0, 0.4, 560, 100), (Labels{"0", "0.1", "0.2", "0.3", "0.4"}));
}

TEST(Ticks, WholeAxesHaveNoFractions) {
  for (const AxisScale scale : {AxisScale::linear, AxisScale::log, AxisScale::symlog}) {
    for (const double high : {1.4, 2.0, 3.7, 12.0, 300.0}) {
      std::size_t labelled = 0;
      for (const Tick& tick : make_ticks(axis_of(scale, 0.4, high, true), 900, 30)) {
        EXPECT_EQ(tick.value, std::round(tick.value)) << high;
        labelled += tick.label.empty() ? 0 : 1;
      }
      EXPECT_GE(labelled, high >= 2 ? 2u : 1u) << high;
    }
  }
}

TEST(Ticks, LawsOverManyRanges) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform;
  for (int trial = 0; trial < 20000; ++trial) {
    const auto scale = static_cast<AxisScale>(trial % 3);
    const double size = std::pow(10, 30 * uniform(random) - 15), centre = std::pow(10, 20 * uniform(random) - 10);
    Range range{centre, centre + size};
    if (trial % 2 == 0 && scale != AxisScale::log) range = {-size * uniform(random), size};
    const double length = 20 + 2000 * uniform(random), gap = 10 + 100 * uniform(random);
    FigureAxis axis = axis_of(scale, range.low, range.high, trial % 7 == 0);
    const std::vector<Tick> ticks = make_ticks(axis, length, gap);
    const Range shown = drawable_range(range, scale);
    const AxisMap map{shown, scale, 0, length};
    SCOPED_TRACE(std::to_string(range.low) + " … " + std::to_string(range.high) + " scale " +
                 std::to_string(trial % 3) + " length " + std::to_string(length) + " gap " + std::to_string(gap));
    std::set<std::string> texts;
    double last_label = -1e9, last = -std::numeric_limits<double>::infinity();
    ASSERT_LT(ticks.size(), 3000u);
    for (const Tick& tick : ticks) {
      ASSERT_GT(tick.value, last);
      last = tick.value;
      const double pixel = map.to_pixel(tick.value);
      ASSERT_GE(pixel, -0.01);
      ASSERT_LE(pixel, length + 0.01);
      ASSERT_EQ(tick.major, !tick.label.empty());
      if (tick.label.empty()) continue;
      ASSERT_TRUE(texts.insert(tick.label).second) << "twice: " << tick.label;
      ASSERT_GE(pixel - last_label, 0.999 * std::min(gap, length / 2));
      last_label = pixel;
    }
    ASSERT_GE(texts.size(), axis.whole ? 0u : 2u);
  }
}

TEST(Ticks, DegenerateAxesEndAndStayEmptyOrOrdered) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(make_ticks(axis_of(AxisScale::linear, 0, 1), 0, 50).empty());
  EXPECT_TRUE(make_ticks(axis_of(AxisScale::linear, 0, 1), nan, 50).empty());
  for (const AxisScale scale : {AxisScale::linear, AxisScale::log, AxisScale::symlog}) {
    for (const Range& range :
         {Range{3, 3}, Range{nan, 2}, Range{9, 1}, Range{-5, 0}, Range{0, 0}, Range{-1e300, 1e300}}) {
      EXPECT_GE(labels_of(make_ticks(axis_of(scale, range.low, range.high), 500, 50)).size(), 2u);
    }
  }
}

}  // namespace
}  // namespace ropescope
