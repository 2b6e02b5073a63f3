// Figures with little space: names of lines, titles of axes, and labels that cover no curve.

#include "app/figure/pages/page.h"
#include "scene_checks.h"

namespace ropescope {
namespace {

/// A curve that falls from `high` to `low` over a logarithmic axis.
std::shared_ptr<const Series> falling(double high, double low) {
  std::vector<double> ys;
  for (int x = 1; x <= 1000; ++x) ys.push_back(low + (high - low) * (1 - std::log10(x) / 3));
  return make_series(1, 1, ys);
}

Figure make_column_figure(const std::string& name) {
  Figure figure;
  figure.name = name;
  figure.x.name = "distance";
  figure.x.label = "relative distance (tokens)";
  figure.x.scale = AxisScale::log;
  figure.x.range = figure.x.fit = {1, 1000};
  figure.y.label = name;
  figure.y.range = figure.y.fit = {0, 32};
  return figure;
}

void add_line(Figure& figure, const std::string& label, int slot, double high = 30, double low = 4) {
  figure.lines.push_back({label, label, {slot, false}, falling(high, low), true});
}

FigureLayout lay_out_one_column(const Figure& figure, const Rect& rect, double text_size = 9) {
  FigureOptions options;
  options.text_size = text_size;
  options.legend = true;
  return lay_out(figure, rect, palette(ThemeName::light), options, even_measure);
}

/// The box of the text that begins so.
std::optional<Rect> box_that_says(const Scene& scene, const std::string& words,
                                  const MeasureText& measure = even_measure) {
  for (const TextItem& item : items_of<TextItem>(scene)) {
    if (item.text.starts_with(words)) return box_of(item, measure);
  }
  return std::nullopt;
}

bool lies_on(const Figure& figure, const FigureLayout& layout, const Rect& box) {
  for (const Line& line : figure.lines) {
    for (double x = box.left; x <= box.right(); x += 0.25) {
      const double value = layout.x.to_value(x);
      const double y = layout.y.to_pixel(line.series->ys[nearest_index(*line.series, value)]);
      if (y >= box.top && y <= box.bottom()) return true;
    }
  }
  return false;
}

// A page of 85 by 60 mm with text of 130 %, in points.
constexpr Rect kOneColumnColumn{9, 9, 223, 152};

TEST(OneColumn, KeepsEveryNameAndTheTitleOfTheAxis) {
  for (const int lines : {1, 5, 9, 16}) {
    ViewResult view;
    for (const char* name : {"similarity", "bound"}) {
      Figure figure = make_column_figure(name);
      for (int i = 0; i < lines; ++i) add_line(figure, "base " + std::to_string(i) + ", llama3 (8)", i);
      view.panels.push_back({figure, name == std::string("bound") ? 0.7 : 1.0});
    }
    FigureOptions options;
    options.text_size = 9;
    Scene scene;
    add_view(scene, view, {kOneColumnColumn, palette(ThemeName::light), options}, even_measure);
    for (int i = 0; i < lines; ++i) {
      EXPECT_TRUE(box_that_says(scene, "base " + std::to_string(i) + ",")) << i << " of " << lines;
    }
    EXPECT_TRUE(box_that_says(scene, "relative distance")) << lines;
    EXPECT_FALSE(box_that_says(scene, "+")) << lines;
    expect_tidy(scene, kOneColumnColumn, even_measure);
  }
}

TEST(OneColumn, KeepsAGapBetweenTitlesAndTickLabels) {
  const MeasureText measure = [](std::string_view text, const TextStyle& style) {
    const Vec2 plain = even_measure(text, style);
    return text.find("∑") == std::string_view::npos ? plain : Vec2{plain.x, 1.7 * plain.y};
  };
  Figure figure = make_column_figure("bound");
  add_line(figure, "base", 0);
  figure.x.label = "∑ over distances";
  figure.y.label = "largest context with ∑ cos above 0";
  figure.y.range = {0, 1e6};
  for (const double height : {90.0, 120.0, 200.0}) {
    FigureOptions options;
    options.text_size = 9;
    const FigureLayout layout = lay_out(figure, {0, 0, 223, height}, palette(ThemeName::light), options, measure);
    double ticks_left = 1e9, ticks_bottom = 0, y_title = 0, x_title = 1e9;
    for (const TextItem& item : items_of<TextItem>(layout.scene)) {
      const Rect box = box_of(item, measure);
      if (item.vertical) {
        y_title = std::max(y_title, box.right());
      } else if (item.text.starts_with("∑")) {
        x_title = box.top;
      } else if (box.right() <= layout.plot.left) {
        ticks_left = std::min(ticks_left, box.left);
      } else if (box.top >= layout.plot.bottom()) {
        ticks_bottom = std::max(ticks_bottom, box.bottom());
      }
    }
    EXPECT_GE(ticks_left - y_title, 2) << height;
    EXPECT_GE(x_title - ticks_bottom, 2) << height;
    expect_tidy(layout.scene, {0, 0, 223, height}, measure);
  }
}

TEST(RuleLabel, LiesOnNoCurve) {
  Figure figure = make_column_figure("bound");
  add_line(figure, "base", 0);
  Rule rule;
  rule.vertical = false;
  rule.at = 1;
  rule.label = "at most 1 anyway: above it a bound says nothing";
  figure.rules.push_back(rule);
  for (const double height : {90.0, 110.0, 300.0}) {
    const FigureLayout layout = lay_out_one_column(figure, {0, 0, 223, height}, 7);
    const auto box = box_that_says(layout.scene, "at most 1");
    ASSERT_TRUE(box) << height;
    EXPECT_FALSE(lies_on(figure, layout, *box)) << height;
  }
  // Rather none than one that hides a curve.
  for (const double height : {50.0, 60.0, 70.0}) {
    const FigureLayout low = lay_out_one_column(figure, {0, 0, 223, height}, 7);
    const auto box = box_that_says(low.scene, "at most 1");
    EXPECT_FALSE(box && lies_on(figure, low, *box)) << height;
  }
}

TEST(LineName, StandsAtItsLine) {
  for (const double height : {60.0, 110.0, 300.0}) {
    Figure figure = make_column_figure("similarity");
    add_line(figure, "trend", 2);
    Label label;
    label.x = 8;
    label.y = figure.lines[0].series->ys[nearest_index(*figure.lines[0].series, label.x)];
    label.text = "trend";
    label.role = Role::curve;
    label.style = {2, false};
    figure.labels.push_back(label);
    const FigureLayout layout = lay_out_one_column(figure, {0, 0, 223, height});
    const auto box = box_that_says(layout.scene, "trend");
    ASSERT_TRUE(box) << height;
    EXPECT_TRUE(inside(*box, layout.plot)) << height;
    EXPECT_FALSE(lies_on(figure, layout, *box)) << height;
    double nearest = 1e9;
    for (double x = box->left; x <= box->right(); ++x) {
      const double value = layout.x.to_value(x);
      const double y = layout.y.to_pixel(figure.lines[0].series->ys[nearest_index(*figure.lines[0].series, value)]);
      nearest = std::min(nearest, std::max(box->top - y, y - box->bottom()));
    }
    EXPECT_LT(nearest, 0.5 * 9) << height;
  }
}

TEST(LegendBox, IsASheetWithAnEdge) {
  Figure figure = make_column_figure("similarity");
  figure.legend = true;
  for (int i = 0; i < 3; ++i) add_line(figure, "line " + std::to_string(i), i);
  const FigureLayout layout = lay_out_one_column(figure, {0, 0, 600, 400});
  const Palette colours = palette(ThemeName::light);
  const std::vector<RectItem> boxes = items_of<RectItem>(layout.scene);
  const auto sheet =
      std::find_if(boxes.begin(), boxes.end(), [&](const RectItem& b) { return b.fill == colours.canvas; });
  ASSERT_TRUE(sheet != boxes.end() && sheet != boxes.begin());
  EXPECT_EQ(std::prev(sheet)->fill, colours.line);
  EXPECT_LT(std::prev(sheet)->rect.left, sheet->rect.left);
}

TEST(EqualRanges, AreCountedAlike) {
  const auto steps = [](const FigureLayout& layout) {
    std::vector<double> rows, columns;
    for (const TextItem& item : items_of<TextItem>(layout.scene)) {
      const Rect box = box_of(item, even_measure);
      if (item.vertical) continue;
      if (box.right() <= layout.plot.left) rows.push_back(std::stod(item.text));
      if (box.top >= layout.plot.bottom() && std::isdigit(static_cast<unsigned char>(item.text[0]))) {
        columns.push_back(std::stod(item.text));
      }
    }
    std::sort(rows.begin(), rows.end());
    std::sort(columns.begin(), columns.end());
    EXPECT_GE(std::min(rows.size(), columns.size()), 2u);
    return std::pair(rows.at(1) - rows.at(0), columns.at(1) - columns.at(0));
  };
  for (const bool map : {false, true}) {
    for (const Rect& rect : {Rect{0, 0, 900, 700}, Rect{0, 0, 1200, 400}, Rect{0, 0, 300, 600}}) {
      Figure figure;
      figure.x.label = "column";
      figure.y.label = "row";
      figure.x.whole = figure.y.whole = true;
      figure.y.reversed = true;
      figure.x.range = figure.x.fit = figure.y.range = figure.y.fit = {-0.5, 63.5};
      if (map) {
        figure.equal_axes = true;
        Map cells;
        cells.x = cells.y = figure.x.range;
        cells.cells = std::make_shared<MapCells>(MapCells{64, 64, std::vector<float>(64 * 64)});
        figure.maps.push_back(cells);
      }
      const auto [row, column] = steps(lay_out_one_column(figure, rect, 13));
      EXPECT_EQ(row, column) << map << " " << described(rect);
    }
  }
}

TEST(Drawing, PutsItsCornersIntoThePlotsCornersAndKeepsTheirLetters) {
  Figure figure;
  figure.bare = figure.equal_axes = true;
  figure.x.range = figure.x.fit = figure.y.range = figure.y.fit = {-1.4, 1.4};
  for (const double x : {-1.4, 1.4}) {
    Label label;
    label.x = x;
    label.y = 1.4;
    label.anchor_x = x < 0 ? 0 : 1;
    label.anchor_y = 0;
    label.text = x < 0 ? "angle = 2.214 rad" : "cosine = 0.5992";
    figure.labels.push_back(label);
  }
  const FigureLayout layout = lay_out_one_column(figure, {0, 0, 630, 290}, 26);
  const std::vector<TextItem> texts = items_of<TextItem>(layout.scene);
  ASSERT_EQ(texts.size(), 2u);
  for (const TextItem& text : texts) EXPECT_EQ(text.style.size, 26);
  EXPECT_NEAR(box_of(texts[0], even_measure).left, 0, 1);
  EXPECT_NEAR(box_of(texts[1], even_measure).right(), 630, 1);
}

}  // namespace
}  // namespace ropescope
