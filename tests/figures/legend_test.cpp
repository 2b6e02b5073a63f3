// The legend inside a plot.

#include "app/figure/scene/scene.h"

#include "tests/test.h"

namespace ropescope {
namespace {

Vec2 even_measure(std::string_view text, const TextStyle& style) {
  return {0.6 * style.size * static_cast<double>(text.size()), 1.2 * style.size};
}

bool legend_boxes_overlap(const Rect& a, const Rect& b) {
  return a.left < b.right() && b.left < a.right() && a.top < b.bottom() && b.top < a.bottom();
}

std::vector<TextItem> texts_of(const Scene& scene) {
  std::vector<TextItem> texts;
  for (const SceneItem& item : scene.items) {
    if (const auto* text = std::get_if<TextItem>(&item)) texts.push_back(*text);
  }
  return texts;
}

/// A line that rises along the diagonal, and `count` − 1 more on top of it.
Figure rising(int count) {
  Figure figure;
  figure.x.name = "position";
  figure.x.range = {0, 100};
  figure.y.range = {0, 100};
  figure.legend = true;
  std::vector<double> ys(101);
  for (std::size_t i = 0; i < ys.size(); ++i) ys[i] = static_cast<double>(i);
  for (int i = 0; i < count; ++i) {
    figure.lines.push_back(
        {"line" + std::to_string(i), "policy " + std::to_string(i), {i, false}, make_series(0, 1, ys), true});
  }
  return figure;
}

FigureLayout lay_out_with_legend(const Figure& figure, const Rect& rect, bool legend = true) {
  FigureOptions options;
  options.legend = legend;
  return lay_out(figure, rect, palette(ThemeName::dark), options, even_measure);
}

std::vector<Rect> entries(const FigureLayout& layout) {
  std::vector<Rect> boxes;
  for (const TextItem& text : texts_of(layout.scene)) {
    if (text.text.starts_with("policy")) boxes.push_back(box_of(text, even_measure));
  }
  return boxes;
}

TEST(Legend, NamesEveryLineInsideThePlot) {
  const FigureLayout layout = lay_out_with_legend(rising(5), {0, 0, 900, 400});
  const std::vector<Rect> boxes = entries(layout);
  ASSERT_EQ(boxes.size(), 5u);
  for (const Rect& box : boxes) {
    EXPECT_GT(box.left, layout.plot.left);
    EXPECT_LT(box.right(), layout.plot.right());
    EXPECT_GT(box.top, layout.plot.top);
    EXPECT_LT(box.bottom(), layout.plot.bottom());
  }
}

TEST(Legend, OnlyWhereBothFigureAndPainterWantIt) {
  Figure figure = rising(3);
  EXPECT_TRUE(entries(lay_out_with_legend(figure, {0, 0, 900, 400}, false)).empty());
  figure.legend = false;
  EXPECT_TRUE(entries(lay_out_with_legend(figure, {0, 0, 900, 400})).empty());
}

TEST(Legend, LiesWhereItHidesNoCurve) {
  for (const bool falling : {false, true}) {
    Figure figure = rising(4);
    if (falling) {
      std::vector<double> ys(101);
      for (std::size_t i = 0; i < ys.size(); ++i) ys[i] = 100 - static_cast<double>(i);
      for (Line& line : figure.lines) line.series = make_series(0, 1, ys);
    }
    const FigureLayout layout = lay_out_with_legend(figure, {0, 0, 900, 400});
    for (const Rect& box : entries(layout)) {
      const double x = layout.x.to_value(box.left + box.width / 2);
      const double curve = layout.y.to_pixel(falling ? 100 - x : x);
      EXPECT_FALSE(curve > box.top && curve < box.bottom()) << falling;
    }
  }
}

TEST(Legend, TakesColumnsWhereRowsHaveNoRoomAndGivesUpWithoutAny) {
  const auto columns = [](double height) {
    std::vector<double> lefts;
    for (const Rect& box : entries(lay_out_with_legend(rising(15), {0, 0, 900, height}))) {
      if (std::find(lefts.begin(), lefts.end(), box.left) == lefts.end()) lefts.push_back(box.left);
    }
    return lefts.size();
  };
  EXPECT_EQ(columns(800), 1u);
  EXPECT_EQ(columns(350), 2u);
  EXPECT_EQ(columns(70), 0u);
}

TEST(Legend, NoTextOverlapsAnother) {
  for (const double width : {200.0, 420.0, 900.0}) {
    for (const double height : {90.0, 200.0, 420.0}) {
      for (const int count : {1, 5, 15}) {
        Figure figure = rising(count);
        for (const double at : {2.0, 20.0, 60.0, 63.0, 98.0}) {
          Rule rule;
          rule.at = at;
          rule.label = "bfloat16: 257 = 256";
          figure.rules.push_back(rule);
        }
        Rule exact;
        exact.vertical = false;
        exact.at = 10;
        exact.label = "exact: 0.5157";
        figure.rules.push_back(exact);
        const std::vector<TextItem> texts = texts_of(lay_out_with_legend(figure, {0, 0, width, height}).scene);
        for (std::size_t i = 0; i < texts.size(); ++i) {
          for (std::size_t k = 0; k < i; ++k) {
            EXPECT_FALSE(legend_boxes_overlap(box_of(texts[i], even_measure), box_of(texts[k], even_measure)))
                << texts[i].text << " on " << texts[k].text << " in " << width << "x" << height;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace ropescope
