#include "app/figure/pages/page_canvas.h"
#include "tests/figures/scene_checks.h"

namespace ropescope {
namespace {

constexpr double kMarksNaN = std::numeric_limits<double>::quiet_NaN();

Figure plane() {
  Figure figure;
  figure.x.range = figure.y.range = figure.x.fit = figure.y.fit = {-1.5, 1.5};
  figure.equal_axes = true;
  return figure;
}

FigureLayout lay_out_marks(const Figure& figure, const Rect& rect = {0, 0, 640, 420}) {
  return lay_out(figure, rect, palette(ThemeName::dark), {}, even_measure);
}

Arrow arrow_to(double x, double y, const std::string& label) {
  Arrow arrow;
  arrow.label = arrow.key = label;
  arrow.x1 = x;
  arrow.y1 = y;
  return arrow;
}

Path circle(double radius) {
  Path path;
  for (int i = 0; i <= 180; ++i) {
    path.xs.push_back(radius * std::cos(i * std::numbers::pi / 90));
    path.ys.push_back(radius * std::sin(i * std::numbers::pi / 90));
  }
  return path;
}

const TextItem* text_of(const std::vector<TextItem>& texts, const std::string& text) {
  const auto found = std::find_if(texts.begin(), texts.end(), [&](const TextItem& item) { return item.text == text; });
  return found == texts.end() ? nullptr : &*found;
}

TEST(Marks, ACircleIsRoundAndClosed) {
  Figure figure = plane();
  figure.bare = true;
  figure.paths.push_back(circle(1));
  figure.paths[0].filled = true;
  const FigureLayout layout = lay_out_marks(figure);
  const std::vector<PathItem> paths = items_of<PathItem>(layout.scene);
  ASSERT_EQ(paths.size(), 1u);
  const Vec2 middle{layout.x.to_pixel(0), layout.y.to_pixel(0)};
  const double radius = layout.x.to_pixel(1) - middle.x;
  EXPECT_GT(radius, 100);
  for (const Vec2& p : paths[0].points) EXPECT_NEAR(std::hypot(p.x - middle.x, p.y - middle.y), radius, 1e-6);
  EXPECT_EQ(paths[0].points.size(), 182u) << "goes on over its beginning";
  const std::vector<PolygonItem> areas = items_of<PolygonItem>(layout.scene);
  ASSERT_EQ(areas.size(), 1u);
  EXPECT_EQ(areas[0].fill.alpha, std::lround(0.14 * 255));
}

TEST(Marks, PathsLiftThePenAtNaNAndStayNearThePlot) {
  Figure figure = plane();
  figure.paths.push_back(
      {"p", {0, false}, Role::curve, {-1, 0, kMarksNaN, 0, 1}, {0, 0, kMarksNaN, 1, 1}, 1, false, false});
  figure.paths.push_back({"far", {1, false}, Role::curve, {-1e9, 0, 1e9}, {-1e9, 1e9, -1e9}, 1, false, true});
  figure.bare = true;
  const FigureLayout layout = lay_out_marks(figure);
  const Colour first = palette(ThemeName::dark).curves[0];
  int pieces = 0;
  const Rect& plot = layout.plot;
  const Rect room{plot.left - 20, plot.top - 20, plot.width + 40, plot.height + 40};
  for (const PathItem& path : items_of<PathItem>(layout.scene)) {
    pieces += path.colour == first ? 1 : 0;
    for (const Vec2& p : path.points) EXPECT_TRUE(room.contains(p)) << p.x << " " << p.y;
  }
  EXPECT_EQ(pieces, 2);
  const std::vector<PolygonItem> areas = items_of<PolygonItem>(layout.scene);
  ASSERT_EQ(areas.size(), 1u);
  for (const Vec2& p : areas[0].points) EXPECT_TRUE(room.contains(p)) << p.x << " " << p.y;
}

TEST(Marks, AnArrowEndsAtItsTipAndItsLabelStandsBeyond) {
  for (int i = 0; i < 24; ++i) {
    const double angle = 2 * std::numbers::pi * i / 24;
    Figure figure = plane();
    figure.arrows.push_back(arrow_to(std::cos(angle), std::sin(angle), "R q"));
    const FigureLayout layout = lay_out_marks(figure);
    const std::vector<PolygonItem> heads = items_of<PolygonItem>(layout.scene);
    ASSERT_EQ(heads.size(), 1u);
    const Vec2 from{layout.x.to_pixel(0), layout.y.to_pixel(0)};
    const Vec2 tip{layout.x.to_pixel(std::cos(angle)), layout.y.to_pixel(std::sin(angle))};
    EXPECT_EQ(std::count(heads[0].points.begin(), heads[0].points.end(), tip), 1);
    double reach = 0;
    for (const Vec2& p : heads[0].points) reach = std::max(reach, std::hypot(p.x - tip.x, p.y - tip.y));
    EXPECT_NEAR(reach, 13, 4);
    const std::vector<TextItem> texts = items_of<TextItem>(layout.scene);
    const TextItem* label = text_of(texts, "R q");
    ASSERT_TRUE(label) << i;
    const Rect box = box_of(*label, even_measure);
    const double beyond =
        (box.left + box.width / 2 - from.x) * std::cos(angle) - (box.top + box.height / 2 - from.y) * std::sin(angle);
    EXPECT_GT(beyond, layout.x.to_pixel(1) - from.x) << "degrees " << 15 * i;
  }
}

TEST(Marks, ShortArrowsHaveSmallHeadsAndNoneIsADot) {
  Figure figure = plane();
  figure.arrows.push_back(arrow_to(0.05, 0, ""));
  FigureLayout layout = lay_out_marks(figure);
  const std::vector<PolygonItem> heads = items_of<PolygonItem>(layout.scene);
  ASSERT_EQ(heads.size(), 1u);
  for (const Vec2& p : heads[0].points) EXPECT_GT(p.x, layout.x.to_pixel(0));
  figure.arrows[0] = arrow_to(0, 0, "");
  layout = lay_out_marks(figure);
  EXPECT_TRUE(items_of<PolygonItem>(layout.scene).empty());
  EXPECT_EQ(items_of<DiscItem>(layout.scene).size(), 1u);
}

TEST(Marks, BoxesLieWithinTheirCellsAndClipAtThePlot) {
  Figure figure = plane();
  figure.bare = true;
  figure.boxes.push_back({{-0.5, 0.5}, {-0.25, 0.75}, {0, false}, Role::accent, false});
  figure.boxes.push_back({{-0.5, 0.5}, {-0.25, 0.75}, {0, false}, Role::accent, true});
  figure.boxes.push_back({{-1e12, 1e12}, {5, 6}, {0, false}, Role::accent, true});
  const FigureLayout layout = lay_out_marks(figure);
  const Rect cell{layout.x.to_pixel(-0.5), layout.y.to_pixel(0.75), layout.x.to_pixel(0.5) - layout.x.to_pixel(-0.5),
                  layout.y.to_pixel(-0.25) - layout.y.to_pixel(0.75)};
  const std::vector<PathItem> sides = items_of<PathItem>(layout.scene);
  ASSERT_EQ(sides.size(), 4u);
  for (const PathItem& side : sides) {
    EXPECT_EQ(side.colour, palette(ThemeName::dark).accent);
    for (const Vec2& p : side.points) EXPECT_TRUE(cell.contains(p));
  }
  const std::vector<RectItem> areas = items_of<RectItem>(layout.scene);
  ASSERT_EQ(areas.size(), 1u) << "the third one is out of sight";
  EXPECT_NEAR(areas[0].rect.left, cell.left, 1e-9);
  EXPECT_NEAR(areas[0].rect.height, cell.height, 1e-9);
}

TEST(Marks, LabelsStandAtTheirAnchorAndShrinkTogether) {
  Figure figure = plane();
  figure.bare = true;
  const auto add = [&](double x, const std::string& text, double anchor) {
    Label label;
    label.x = x;
    label.text = text;
    label.anchor_x = anchor;
    figure.labels.push_back(label);
  };
  add(-0.4, "left", 0);
  add(0.4, "right", 1);
  FigureLayout layout = lay_out_marks(figure);
  std::vector<TextItem> texts = items_of<TextItem>(layout.scene);
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_NEAR(box_of(texts[0], even_measure).left, layout.x.to_pixel(-0.4), 1e-9);
  EXPECT_NEAR(box_of(texts[1], even_measure).right(), layout.x.to_pixel(0.4), 1e-9);
  EXPECT_EQ(texts[0].style.size, 13);
  figure.labels.clear();
  // 14 px apart, 5 characters of 7.8 px: too wide at any size between; 40 px apart: smaller ones fit.
  for (int i = 0; i < 5; ++i) add(-0.5 + i * 0.24, "−0.84", 0.5);
  layout = lay_out_marks(figure);
  texts = items_of<TextItem>(layout.scene);
  ASSERT_EQ(texts.size(), 5u);
  for (const TextItem& text : texts) {
    EXPECT_LT(text.style.size, 13);
    EXPECT_EQ(text.style.size, texts[0].style.size);
  }
}

/// Fonts of whole pixels follow a size by steps.
TEST(Marks, ALabelThatIsALittleTooWideIsSetSmallerAndNotCut) {
  Figure figure = plane();
  figure.bare = true;
  Label label;
  label.text = "0123456789";
  label.anchor_x = 0.5;
  figure.labels.push_back(label);
  const MeasureText in_steps = [](std::string_view text, TextStyle style) {
    style.size = std::floor(1.2 * style.size) / 1.2;  // lines of whole pixels: 13 is written as 12.5
    return even_measure(text, style);
  };
  for (const double width : {74.9, 74.0, 68.0, 40.0}) {
    const FigureLayout layout = lay_out(figure, {0, 0, width, 300}, palette(ThemeName::dark), {}, in_steps);
    const std::vector<TextItem> texts = items_of<TextItem>(layout.scene);
    ASSERT_EQ(texts.size(), 1u);
    EXPECT_EQ(texts[0].text, label.text) << width;
    EXPECT_LE(in_steps(label.text, texts[0].style).x, width);
    EXPECT_GT(in_steps(label.text, texts[0].style).x, width - 6) << "no smaller than the next step";
  }
}

TEST(Marks, WordsOnAMapCanBeRead) {
  Figure figure;
  figure.bare = true;
  figure.x.range = figure.y.range = {-0.5, 1.5};
  Map map;
  map.range = {0, 1};
  map.x = map.y = {-0.5, 1.5};
  map.bar = false;
  auto cells = std::make_shared<MapCells>();
  cells->columns = cells->rows = 2;
  cells->values = {0, 1, 1, 0};
  map.cells = cells;
  figure.maps.push_back(map);
  for (int i = 0; i < 4; ++i) {
    Label label;
    label.x = i % 2;
    label.y = i / 2;
    label.text = std::to_string(i);
    figure.labels.push_back(label);
  }
  for (const ThemeName theme : {ThemeName::dark, ThemeName::light}) {
    const FigureLayout layout = lay_out(figure, {0, 0, 300, 300}, palette(theme), {}, even_measure);
    const std::vector<TextItem> texts = items_of<TextItem>(layout.scene);
    ASSERT_EQ(texts.size(), 4u);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(texts[static_cast<std::size_t>(i)].colour.red < 128, i == 1 || i == 2) << i;
  }
}

std::vector<std::string> words(std::size_t count) {
  const std::vector<std::string> some{"the", "quick", "brown", "fox", "a", "internationalisation", "of", "位置", ","};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(some[i % some.size()]);
  return names;
}

TEST(Marks, NamesStandAtTheirTicksAndAreThinnedWithoutOverlap) {
  for (const std::size_t count : {1u, 3u, 12u, 60u, 4096u}) {
    for (const bool reversed : {false, true}) {
      Figure figure;
      figure.x.names = figure.y.names = words(count);
      figure.x.label = figure.y.label = "word";
      figure.x.reversed = figure.y.reversed = reversed;
      figure.x.range = figure.y.range = {-0.5, static_cast<double>(count) - 0.5};
      const Rect rect{0, 0, 800, 500};
      const FigureLayout layout = lay_out_marks(figure, rect);
      expect_tidy(layout.scene, rect, even_measure);
      int below = 0, beside = 0;
      for (const TextItem& text : items_of<TextItem>(layout.scene)) {
        if (text.text == "word") continue;
        const Rect box = box_of(text, even_measure);
        const bool is_x = box.top > layout.plot.bottom();
        below += is_x ? 1 : 0;
        beside += box.right() < layout.plot.left ? 1 : 0;
        const double value = is_x ? layout.x.to_value(text.at.x) : layout.y.to_value(text.at.y);
        const auto index = static_cast<std::size_t>(std::lround(value));
        ASSERT_LT(index, count);
        if (text.text.find("…") != std::string::npos) continue;
        EXPECT_EQ(text.text, figure.x.names[index]) << value;
      }
      EXPECT_GE(below, static_cast<int>(std::min<std::size_t>(count, 12))) << count;
      EXPECT_GE(beside, static_cast<int>(std::min<std::size_t>(count, 12))) << count;
    }
  }
}

/// A figure with a bit of everything.
Figure anything(std::mt19937& random) {
  std::uniform_real_distribution<double> uniform;
  const auto pick = [&](std::initializer_list<double> of) {
    return of.begin()[static_cast<std::size_t>(uniform(random) * static_cast<double>(of.size()))];
  };
  const auto chance = [&](double share) { return uniform(random) < share; };
  Figure figure;
  figure.title = chance(0.5) ? "A title that says at some length what is shown" : "";
  figure.x.label = "key position n (tokens)";
  figure.y.label = "query position m";
  const double size = pick({2, 8, 60, 3072});
  figure.x.range = figure.y.range = figure.x.fit = figure.y.fit = {-0.5, size - 0.5};
  if (chance(0.3)) figure.x.range = {size / 3, size / 2};
  figure.x.reversed = chance(0.3);
  figure.y.reversed = chance(0.6);
  if (chance(0.4)) figure.x.names = words(static_cast<std::size_t>(size));
  if (chance(0.4)) figure.y.names = words(static_cast<std::size_t>(size));
  figure.equal_axes = chance(0.5);
  figure.bare = chance(0.3);
  for (int i = 0; i < pick({0, 1, 1, 3}); ++i) {
    Map map;
    map.label = "softmax weight";
    map.colours = static_cast<MapColours>(i % 3);
    map.x = map.y = figure.y.range;
    map.range = {pick({0, -1, -3.5e6}), pick({0.3, 1, 2 * std::numbers::pi, 1e9})};
    map.bar = chance(0.8);
    auto cells = std::make_shared<MapCells>();
    cells->columns = cells->rows = 2;
    cells->values = {0, 1, 2, 3};
    map.cells = cells;
    figure.maps.push_back(map);
  }
  for (int i = 0; i < pick({0, 3, 30}); ++i) {
    Label label;
    label.x = size * uniform(random);
    label.y = size * uniform(random);
    label.text = chance(0.5) ? "0.25" : "a longer label, set anywhere";
    label.anchor_x = uniform(random);
    label.size = pick({0.8, 1, 2});
    figure.labels.push_back(label);
    Arrow arrow = arrow_to(size * uniform(random), size * uniform(random), "arrow " + std::to_string(i));
    arrow.x0 = size * uniform(random);
    figure.arrows.push_back(arrow);
  }
  if (chance(0.3)) {
    Rule rule;
    rule.at = size / 2;
    rule.label = "trained here";
    figure.rules.push_back(rule);
    Span span;
    span.low = size / 3;
    span.high = size;
    span.label = "past the trained length";
    figure.spans.push_back(span);
  }
  return figure;
}

TEST(Marks, NoTextOverlapsAnotherOrLeavesTheRectangle) {
  PageCanvas canvas(PageFormat::png, {64, 64, false}, {});
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform;
  const auto pick = [&](std::initializer_list<double> of) {
    return of.begin()[static_cast<std::size_t>(uniform(random) * static_cast<double>(of.size()))];
  };
  for (int trial = 0; trial < 500; ++trial) {
    const Figure figure = anything(random);
    const Rect rect{31, 17, pick({60, 120, 300, 482, 900, 2000}), pick({40, 90, 150, 300, 600, 1500})};
    FigureOptions options;
    options.text_size = pick({8.5, 13, 20});
    options.show_x_labels = trial % 5 != 0;
    options.left_margin = trial % 8 == 0 ? 70 : 0;
    const MeasureText measure = trial % 4 != 0 ? MeasureText(even_measure) : canvas.measure();
    SCOPED_TRACE("trial " + std::to_string(trial));
    const FigureLayout layout = lay_out(figure, rect, palette(ThemeName::light), options, measure);
    EXPECT_TRUE(inside(layout.plot, rect)) << described(layout.plot) << " in " << described(rect);
    expect_tidy(layout.scene, rect, measure);
    for (const GradientItem& bar : items_of<GradientItem>(layout.scene)) EXPECT_TRUE(inside(bar.rect, rect));
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace ropescope
