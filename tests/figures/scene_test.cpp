#include "app/figure/scene/scene.h"

#include "app/figure/figure.h"
#include "app/figure/pages/page_canvas.h"
#include "app/figure/scene/scene_axes.h"
#include "tests/figures/scene_checks.h"

namespace ropescope {
namespace {

constexpr double kSceneNaN = std::numeric_limits<double>::quiet_NaN();

Figure plain_figure() {
  Figure figure;
  figure.x.name = "distance";
  figure.x.label = "relative distance Δ (tokens)";
  figure.x.range = {1, 131072};
  figure.x.scale = AxisScale::log;
  figure.x.whole = true;
  figure.y.label = "similarity K(Δ)";
  figure.y.range = {-0.3, 1.05};
  std::vector<double> ys(20000);
  for (std::size_t i = 0; i < ys.size(); ++i) ys[i] = std::cos(0.9 * static_cast<double>(i));
  figure.lines.push_back({"current", "base 10 000", {0, false}, make_series(0, 1, ys), true});
  return figure;
}

Rule vertical_rule(double at, const std::string& label) {
  Rule rule;
  rule.at = at;
  rule.label = label;
  return rule;
}

FigureLayout lay_out_scene(const Figure& figure, const Rect& rect = {0, 0, 900, 600}) {
  return lay_out(figure, rect, palette(ThemeName::dark), {}, even_measure);
}

TEST(Scene, NoGridLineStrikesAMessageThrough) {
  Figure figure = plain_figure();
  figure.lines.clear();
  figure.empty_message =
      "Press Space or Play to start: 3 runners, up to 29 MiB. They are trained here, on this machine.";
  const FigureLayout drawn = lay_out_scene(figure, {0, 0, 500, 400});
  const Palette colours = palette(ThemeName::dark);
  std::size_t words = 0, sheet = 0;
  Rect covered;
  for (std::size_t i = 0; i < drawn.scene.items.size(); ++i) {
    const SceneItem& item = drawn.scene.items[i];
    if (const auto* rect = std::get_if<RectItem>(&item); rect && rect->fill == colours.canvas) {
      sheet = i;
      covered = rect->rect;
    }
    if (std::holds_alternative<PathItem>(item)) {
      EXPECT_LT(i, sheet == 0 ? drawn.scene.items.size() : sheet) << "the grid is under the sheet";
    }
    const auto* text = std::get_if<TextItem>(&item);
    if (!text || figure.empty_message.find(text->text) == std::string::npos || text->text.size() < 8) continue;
    ++words;
    EXPECT_TRUE(inside(box_of(*text, even_measure), covered)) << text->text;
  }
  EXPECT_GE(words, 2u);
  EXPECT_EQ(colours.canvas.alpha, 255);
}

TEST(Scene, WordsOnAMapHaveAnOpaquePlate) {
  Figure figure = plain_figure();
  figure.x.scale = AxisScale::linear;
  figure.x.range = figure.x.fit = {-0.5, 63.5};
  figure.y.range = figure.y.fit = {-0.5, 63.5};
  figure.lines.clear();
  Map map;
  map.x = map.y = {-0.5, 63.5};
  map.range = {0, 1};
  auto cells = std::make_shared<MapCells>();
  cells->columns = cells->rows = 64;
  for (int i = 0; i < 64 * 64; ++i) cells->values.push_back(i % 2 == 0 ? 0.0f : 1.0f);
  map.cells = cells;
  figure.maps.push_back(map);
  figure.rules.push_back(vertical_rule(40, "less than a quarter"));
  const FigureLayout drawn = lay_out_scene(figure);
  const auto texts = items_of<TextItem>(drawn.scene);
  const auto words = std::find_if(texts.begin(), texts.end(),
                                  [](const TextItem& item) { return item.text.find("quarter") != std::string::npos; });
  ASSERT_NE(words, texts.end());
  const Rect box = box_of(*words, even_measure);
  const auto plates = items_of<RectItem>(drawn.scene);
  EXPECT_TRUE(std::any_of(plates.begin(), plates.end(), [&](const RectItem& plate) {
    return plate.fill.alpha == 255 && plate.rect.left < box.left - 2 && plate.rect.right() > box.right() + 2 &&
           inside(box, plate.rect);
  }));
}

TEST(Scene, NoTextOverlapsAnotherOrLeavesTheRectangle) {
  PageCanvas canvas(PageFormat::png, {64, 64, false}, {});
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform;
  const auto pick = [&](std::initializer_list<double> of) {
    return of.begin()[static_cast<std::size_t>(uniform(random) * static_cast<double>(of.size()))];
  };
  for (int trial = 0; trial < 600; ++trial) {
    Figure figure = plain_figure();
    figure.x.scale = static_cast<AxisScale>(trial % 3);
    figure.y.scale = static_cast<AxisScale>(trial / 3 % 3);
    figure.x.whole = trial % 2 == 0;
    figure.x.range = {pick({-1000, 0, 1, 17, 12345}), pick({18000, 131072, 16777216, 20})};
    figure.y.range = {pick({-0.3, 0, 1e-6, -1e9}), pick({1.05, 1e-12, 45.3, 1e15, 7e7})};
    if (trial % 5 == 0) figure.title = "A title that says at some length what is shown in the figure below";
    if (trial % 6 == 0) figure.empty_message = "Nothing to show here: every curve is hidden, click a legend entry.";
    for (double i = 0; i < pick({0, 1, 3, 12}); ++i) {
      const double at = std::exp(17 * uniform(random));
      figure.rules.push_back(vertical_rule(at, "trained " + readable_integer(at)));
      Rule rule = vertical_rule(uniform(random), "one half");
      rule.vertical = false;
      figure.rules.push_back(rule);
    }
    if (trial % 7 == 0) {
      Points points;
      for (int i = 0; i < 20; ++i) {
        points.xs.push_back(std::exp(10 * uniform(random)));
        points.ys.push_back(uniform(random));
        points.names.push_back("point " + std::to_string(i));
      }
      figure.points.push_back(points);
    }
    const Rect rect{31, 17, pick({60, 120, 300, 482, 900, 3000}), pick({40, 90, 150, 300, 600, 1500})};
    FigureOptions options;
    options.text_size = pick({8.5, 13, 20});
    options.show_x_labels = trial % 4 != 0;
    if (trial % 8 == 0) options.left_margin = 70;
    const MeasureText measure = trial % 2 == 0 ? MeasureText(even_measure) : canvas.measure();
    SCOPED_TRACE("trial " + std::to_string(trial));
    const FigureLayout layout = lay_out(figure, rect, palette(ThemeName::light), options, measure);
    EXPECT_TRUE(inside(layout.plot, rect)) << described(layout.plot) << " in " << described(rect);
    expect_tidy(layout.scene, rect, measure);
    if (HasFailure()) break;
  }
}

TEST(Scene, AFigureOf300By150StillSaysWhatItShows) {
  const FigureLayout layout = lay_out_scene(plain_figure(), {0, 0, 300, 150});
  EXPECT_GT(layout.plot.width, 200);
  EXPECT_GT(layout.plot.height, 70);
  std::vector<std::string> texts;
  for (const TextItem& item : items_of<TextItem>(layout.scene)) texts.push_back(item.text);
  for (const char* text : {"relative distance Δ (tokens)", "0.5", "1"}) {
    EXPECT_NE(std::find(texts.begin(), texts.end(), text), texts.end()) << text;
  }
}

TEST(Scene, LinesStayNearThePlotHoweverFarTheyAreZoomed) {
  Figure figure = plain_figure();
  figure.x.scale = AxisScale::linear;
  figure.x.range = {5000, 5000.001};
  figure.x.whole = false;
  figure.y.range = {0.5, 0.5 + 1e-9};
  const FigureLayout layout = lay_out_scene(figure);
  const Rect room{layout.plot.left - 20, layout.plot.top - 20, layout.plot.width + 40, layout.plot.height + 40};
  for (const PathItem& path : items_of<PathItem>(layout.scene)) {
    for (const Vec2& p : path.points) EXPECT_TRUE(room.contains(p)) << p.x << " " << p.y;
  }
}

TEST(Scene, ClippingKeepsTheLineWhereItIs) {
  // From (0, -100) to (10, 100) through a window of y: what is drawn lies on that very line.
  Figure figure = plain_figure();
  figure.lines[0].series = make_series(0, 10, {-100, 100});
  figure.x.scale = AxisScale::linear;
  figure.x.range = {0, 10};
  figure.y.range = {-1, 1};
  const FigureLayout layout = lay_out_scene(figure);
  bool found = false;
  for (const PathItem& path : items_of<PathItem>(layout.scene)) {
    if (path.colour != palette(ThemeName::dark).curves[0]) continue;
    found = true;
    ASSERT_EQ(path.points.size(), 2u);
    for (const Vec2& p : path.points) EXPECT_NEAR(layout.y.to_value(p.y), -100 + 20 * layout.x.to_value(p.x), 1e-9);
    EXPECT_LE(path.points[0].y - layout.plot.bottom(), 10);
  }
  EXPECT_TRUE(found);
}

TEST(Scene, DenseCurveIsABandAndItsMean) {
  Figure figure = plain_figure();
  figure.x.scale = AxisScale::linear;
  figure.x.range = {0, 19999};
  std::vector<double> ys(20000);
  for (std::size_t i = 0; i < ys.size(); ++i) ys[i] = i % 2 == 0 ? 0.75 : 0.25;
  figure.lines[0].series = make_series(0, 1, ys);
  const FigureLayout layout = lay_out_scene(figure);
  const std::vector<BandItem> bands = items_of<BandItem>(layout.scene);
  ASSERT_EQ(bands.size(), 1u);
  EXPECT_EQ(bands[0].colour.alpha, std::lround(0.22 * 255));
  EXPECT_NEAR(static_cast<double>(bands[0].xs.size()), layout.plot.width, 1);
  for (std::size_t i = 0; i < bands[0].xs.size(); ++i) {
    EXPECT_DOUBLE_EQ(bands[0].tops[i], layout.y.to_pixel(0.75));
    EXPECT_DOUBLE_EQ(bands[0].bottoms[i], layout.y.to_pixel(0.25));
  }
  for (const PathItem& path : items_of<PathItem>(layout.scene)) {
    if (path.colour != palette(ThemeName::dark).curves[0]) continue;
    for (const Vec2& p : path.points) EXPECT_NEAR(layout.y.to_value(p.y), 0.5, 0.02);
  }
}

TEST(Scene, LogAxisCutsTheBandAndDropsMeansThatAreNotPositive) {
  Figure figure = plain_figure();
  figure.x.scale = AxisScale::linear;
  figure.x.range = {0, 20000};
  figure.y.scale = AxisScale::log;
  figure.y.range = {0.01, 10};
  // First half: −1 and 3 in turn, mean 1. Second half: −3 and 1, mean −1.
  std::vector<double> ys(20000);
  for (std::size_t i = 0; i < ys.size(); ++i) ys[i] = (i < 10000 ? 1 : -1) + (i % 2 == 0 ? 2 : -2);
  figure.lines[0].series = make_series(0, 1, ys);
  const FigureLayout layout = lay_out_scene(figure);
  const std::vector<BandItem> bands = items_of<BandItem>(layout.scene);
  ASSERT_EQ(bands.size(), 1u);
  for (const double bottom : bands[0].bottoms) EXPECT_GE(bottom, layout.plot.bottom());
  EXPECT_NEAR(bands[0].tops.front(), layout.y.to_pixel(3), 1e-9);
  EXPECT_NEAR(bands[0].tops.back(), layout.y.to_pixel(1), 1e-9);
  double right = 0;
  for (const PathItem& path : items_of<PathItem>(layout.scene)) {
    if (path.colour != palette(ThemeName::dark).curves[0]) continue;
    for (const Vec2& p : path.points) right = std::max(right, p.x);
  }
  EXPECT_NEAR(layout.x.to_value(right), 10000, 100);
}

TEST(Scene, LoneValuesAreSeen) {
  Figure figure = plain_figure();
  figure.x.scale = AxisScale::linear;
  figure.x.range = {0, 10};
  figure.lines[0].series = make_series(0, 1, {kSceneNaN, kSceneNaN, kSceneNaN, 0.5, kSceneNaN});
  const std::vector<DiscItem> discs = items_of<DiscItem>(lay_out_scene(figure).scene);
  ASSERT_EQ(discs.size(), 1u);
}

TEST(Scene, RuleLabelsStandBesideTheirRulesAndFlipAtTheRightEdge) {
  Figure figure = plain_figure();
  figure.rules = {vertical_rule(100, "trained 100"), vertical_rule(125000, "trained 125 000"),
                  vertical_rule(200000, "not shown")};
  const FigureLayout layout = lay_out_scene(figure);
  int found = 0;
  for (const TextItem& item : items_of<TextItem>(layout.scene)) {
    EXPECT_NE(item.text, "not shown");
    const Rect box = box_of(item, even_measure);
    if (item.text == "trained 100") {
      ++found;
      EXPECT_NEAR(box.left, layout.x.to_pixel(100) + 6.5, 1);
      EXPECT_LT(box.top - layout.plot.top, 8);
    }
    if (item.text == "trained 125 000") {
      ++found;
      EXPECT_LT(box.right(), layout.x.to_pixel(125000));
      EXPECT_LT(box.top - layout.plot.top, 8);
    }
  }
  EXPECT_EQ(found, 2);
}

TEST(Scene, LabelsOfNearRulesTakeASecondRow) {
  Figure figure = plain_figure();
  figure.rules = {vertical_rule(1000, "trained 1 000"), vertical_rule(1100, "trained 1 100"),
                  vertical_rule(1200, "trained 1 200")};
  std::vector<double> tops;
  for (const TextItem& item : items_of<TextItem>(lay_out_scene(figure).scene)) {
    if (item.text.rfind("trained", 0) == 0) tops.push_back(box_of(item, even_measure).top);
  }
  ASSERT_EQ(tops.size(), 3u);
  EXPECT_NE(*std::min_element(tops.begin(), tops.end()), *std::max_element(tops.begin(), tops.end()));
}

TEST(Scene, ZeroLineIsStrongerThanTheGrid) {
  Figure figure = plain_figure();
  figure.zero_line = true;
  const Palette colours = palette(ThemeName::dark);
  const auto count = [&](const Figure& of) {
    const FigureLayout layout = lay_out_scene(of);
    int lines = 0;
    for (const PathItem& path : items_of<PathItem>(layout.scene)) {
      lines += path.colour == colours.faint && path.points[0].y == layout.y.to_pixel(0) ? 1 : 0;
    }
    return lines;
  };
  EXPECT_EQ(count(figure), 1);
  figure.y.range = {0.5, 1};
  EXPECT_EQ(count(figure), 0);
}

TEST(Scene, StaleFiguresLookTheSame) {
  Figure figure = plain_figure();
  const std::size_t before = lay_out_scene(figure).scene.items.size();
  figure.stale = true;
  EXPECT_EQ(lay_out_scene(figure).scene.items.size(), before);
}

TEST(Scene, LinkedPanelsAlign) {
  Figure wide = plain_figure(), narrow = plain_figure();
  wide.y.range = {0, 1e7};
  FigureOptions options;
  options.left_margin =
      std::max(left_margin_of(wide, 300, options, even_measure), left_margin_of(narrow, 300, options, even_measure));
  const Palette colours = palette(ThemeName::dark);
  const FigureLayout below = lay_out(narrow, {0, 300, 800, 300}, colours, options, even_measure);
  options.show_x_labels = false;
  const FigureLayout above = lay_out(wide, {0, 0, 800, 300}, colours, options, even_measure);
  EXPECT_EQ(above.plot.left, below.plot.left);
  EXPECT_EQ(above.plot.width, below.plot.width);
  EXPECT_EQ(above.plot.height, below.plot.height + x_labels_height(narrow, FigureOptions(), even_measure));
  for (const TextItem& item : items_of<TextItem>(above.scene)) {
    EXPECT_LE(box_of(item, even_measure).bottom(), 300);
    EXPECT_NE(item.text, "100");
  }
}

TEST(Scene, TextIsCutAndWrappedBetweenCharacters) {
  const TextStyle style{10, FontWeight::regular};  // 6 wide a character
  EXPECT_EQ(elided("distance", style, 48, even_measure), "distance");
  EXPECT_EQ(elided("distance", style, 47, even_measure), "distan…");
  EXPECT_EQ(elided("Δ距離の表示", style, 24, even_measure), "Δ距離…");
  EXPECT_EQ(elided("distance", style, 5, even_measure), "");
  EXPECT_EQ(wrapped("one two three", style, 48, even_measure), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrapped("距離の表示", style, 18, even_measure), (std::vector<std::string>{"距離の", "表示"}));
  EXPECT_EQ(wrapped("ab", style, 1, even_measure), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(wrapped("", style, 10, even_measure).empty());
}

TEST(Palette, StylesDifferForManySlots) {
  const Palette colours = palette(ThemeName::light);
  std::vector<std::pair<int, int>> seen;
  for (int slot = 0; slot < 25; ++slot) {
    const Stroke stroke = stroke_of(colours, {slot, false});
    const auto colour = std::find(colours.curves.begin(), colours.curves.end(), stroke.colour) - colours.curves.begin();
    const std::pair<int, int> style{static_cast<int>(colour), static_cast<int>(stroke.dash)};
    EXPECT_EQ(std::count(seen.begin(), seen.end(), style), 0) << slot;
    seen.push_back(style);
    if (slot < 5) {
      EXPECT_EQ(style, (std::pair{slot, slot}));
    }
  }
}

}  // namespace
}  // namespace ropescope
