#include "app/figure/scene/ticks.h"
#include "tests/figures/scene_checks.h"

namespace ropescope {
namespace {

Figure reversed() {
  Figure figure;
  figure.x.range = figure.y.range = figure.x.fit = figure.y.fit = {-1.5, 1.5};
  figure.x.reversed = figure.y.reversed = true;
  return figure;
}

FigureLayout lay_out_reversed(const Figure& figure) {
  return lay_out(figure, {0, 0, 640, 420}, palette(ThemeName::dark), {}, even_measure);
}

TEST(ReversedAxes, ZoomAndPanAsTheyAreDrawn) {
  const Figure figure = reversed();
  const FigureLayout layout = lay_out_reversed(figure);
  for (const AxisMap& axis : {layout.x, layout.y}) {
    EXPECT_NEAR(axis.to_value(axis.to_pixel(0.7)), 0.7, 1e-12);
    const double pixel = axis.to_pixel(0.5);
    const Range closer = zoom(axis, pixel, 0.5);
    AxisMap zoomed = axis;
    zoomed.range = closer;
    EXPECT_NEAR(zoomed.to_pixel(0.5), pixel, 1e-9);
    EXPECT_NEAR(closer.high - closer.low, 1.5, 1e-9);
    AxisMap panned = axis;
    panned.range = pan(axis, 30);
    EXPECT_NEAR(panned.to_pixel(0.5), pixel + 30, 1e-9);
  }
  EXPECT_LT(layout.x.to_pixel(1), layout.x.to_pixel(0));
  EXPECT_GT(layout.y.to_pixel(1), layout.y.to_pixel(0));
}

TEST(ReversedAxes, ACurveIsTheMirroredCurve) {
  std::vector<double> ys(20000);
  for (std::size_t i = 0; i < ys.size(); ++i)
    ys[i] = 0.9 * std::cos(0.9 * static_cast<double>(i)) + (i < 900 ? 0.3 : 0);
  ys[777] = std::numeric_limits<double>::quiet_NaN();
  const auto series = make_series(0, 1, ys);
  const auto plain = trace(*series, {{100, 19000}, AxisScale::linear, 50, 650}, 1);
  const auto turned = trace(*series, {{100, 19000}, AxisScale::linear, 650, 50}, 1);
  ASSERT_EQ(plain.size(), turned.size());
  for (std::size_t piece = 0; piece < plain.size(); ++piece) {
    ASSERT_EQ(plain[piece].size(), turned[piece].size());
    for (std::size_t i = 0; i < plain[piece].size(); ++i) {
      EXPECT_NEAR(plain[piece][i].x, 700 - turned[piece][i].x, 1e-9);
      EXPECT_EQ(plain[piece][i].mean, turned[piece][i].mean);
    }
  }
  Figure figure = reversed();
  figure.x.range = {0, 20000};
  figure.lines.push_back({"a", "a", {0, false}, series, true});
  const FigureLayout layout = lay_out_reversed(figure);
  const std::vector<BandItem> bands = items_of<BandItem>(layout.scene);
  ASSERT_FALSE(bands.empty());
  const auto size = bands[0].xs.size();
  ASSERT_GT(size, 20u);
  EXPECT_GT(bands[0].xs.front(), bands[0].xs.back());
  // The step of 0.3 is at the low end: at the right, and downwards.
  EXPECT_NEAR(layout.y.to_value(bands[0].bottoms[2]), 1.2, 0.03);
  EXPECT_NEAR(layout.y.to_value(bands[0].tops[2]), -0.6, 0.03);
  // The gap parts the band.
  const BandItem& rest = bands.back();
  EXPECT_NEAR(layout.y.to_value(rest.bottoms[rest.bottoms.size() - 3]), 0.9, 0.03);
}

}  // namespace
}  // namespace ropescope
