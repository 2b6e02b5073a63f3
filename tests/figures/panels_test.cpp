#include "app/figure/scene/scene_axes.h"
#include "tests/figures/scene_checks.h"

namespace ropescope {
namespace {

Panel panel_of(const std::string& x_name, bool beside = false, double width_share = 1) {
  Panel panel;
  panel.figure.x.name = x_name;
  panel.figure.x.label = "tokens";
  panel.figure.y.label = "score";
  panel.beside = beside;
  panel.width_share = width_share;
  return panel;
}

void add_map(Figure& figure) {
  Map map;
  map.label = "score";
  auto cells = std::make_shared<MapCells>();
  cells->columns = cells->rows = 1;
  cells->values = {0.5f};
  map.cells = cells;
  figure.maps.push_back(map);
}

const PanelColumn kPanelsColumn{{20, 30, 1000, 700}, 12, 8};

std::vector<PanelPlace> stacked(const std::vector<Panel>& panels, double left_margin = 0) {
  FigureOptions options;
  options.left_margin = left_margin;
  return stack_panels(panels, kPanelsColumn, options, even_measure);
}

TEST(Panels, ARowFillsTheWidthByItsShares) {
  const auto places =
      stacked({panel_of("a"), panel_of("b"), panel_of("c", true, 2), panel_of("d", true), panel_of("e")});
  ASSERT_EQ(places.size(), 5u);
  EXPECT_EQ(places[0].rect.width, 1000);
  EXPECT_EQ(places[1].rect.left, 20);
  EXPECT_EQ(places[2].rect.left, places[1].rect.right() + 12);
  EXPECT_EQ(places[3].rect.left, places[2].rect.right() + 12);
  EXPECT_EQ(places[3].rect.right(), 1020);
  EXPECT_NEAR(places[1].rect.width, (1000 - 24) / 4.0, 1);
  EXPECT_NEAR(places[2].rect.width, (1000 - 24) / 2.0, 1);
  for (const std::size_t i : {2u, 3u}) {
    EXPECT_EQ(places[i].rect.top, places[1].rect.top);
    EXPECT_EQ(places[i].rect.height, places[1].rect.height);
  }
  EXPECT_EQ(places[1].rect.top, places[0].rect.bottom() + 12);
  EXPECT_EQ(places[4].rect.top, places[1].rect.bottom() + 12);
  EXPECT_LE(places[4].rect.bottom(), 730);
  EXPECT_GT(places[4].rect.bottom(), 725);
}

TEST(Panels, TheFirstPanelOfARowSaysItsHeight) {
  std::vector<Panel> panels{panel_of("a"), panel_of("b", true), panel_of("c")};
  panels[0].height_share = 3;
  panels[1].height_share = 100;
  const auto places = stacked(panels);
  const double around = 16 + x_labels_height(panels[0].figure, FigureOptions(), even_measure);
  EXPECT_NEAR((places[0].rect.height - around) / (places[2].rect.height - around), 3, 0.05);
}

TEST(Panels, OnlyPanelsOfAWholeRowShareTheirXLabels) {
  const auto places = stacked({panel_of("a"), panel_of("a"), panel_of("a", true), panel_of("a")});
  EXPECT_FALSE(places[0].options.show_x_labels);
  EXPECT_TRUE(places[1].options.show_x_labels);
  EXPECT_TRUE(places[2].options.show_x_labels);
  EXPECT_TRUE(places[3].options.show_x_labels);
  EXPECT_TRUE(stacked({panel_of("a"), panel_of("a"), panel_of("a", true)})[0].options.show_x_labels);
}

TEST(Panels, AColourBarTakesNothingFromTheOtherPlots) {
  std::vector<Panel> panels{panel_of("a"), panel_of("b", true), panel_of("c"), panel_of("d", true)};
  add_map(panels[0].figure);
  add_map(panels[1].figure);
  panels[0].figure.maps[0].bar = false;
  const auto places = stacked(panels);
  std::vector<Rect> plots;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const Rect& r = places[i].rect;
    plots.push_back(lay_out(panels[i].figure, {r.left + 8, r.top + 8, r.width - 16, r.height - 16},
                            palette(ThemeName::dark), places[i].options, even_measure)
                        .plot);
  }
  EXPECT_NEAR(plots[0].width, plots[1].width, 2);
  EXPECT_EQ(plots[2].left, plots[0].left);
  EXPECT_EQ(plots[3].left, plots[1].left);
  EXPECT_EQ(plots[3].width, plots[1].width) << "the profile ends where its map ends, before the bar";
}

TEST(Panels, AMapAndTheProfileUnderItEndAtTheSamePlace) {
  std::vector<Panel> panels{panel_of("a"), panel_of("a")};
  add_map(panels[0].figure);
  const auto places = stacked(panels, 64);
  const auto plot = [&](std::size_t i) {
    return lay_out(panels[i].figure, places[i].rect, palette(ThemeName::dark), places[i].options, even_measure).plot;
  };
  EXPECT_EQ(plot(0).left, plot(1).left);
  EXPECT_EQ(plot(0).width, plot(1).width);
}

TEST(Panels, WithoutPanelsBesideTheColumnIsAsEver) {
  // As measured before there were rows.
  std::vector<Panel> panels{panel_of("a"), panel_of("a"), panel_of("b")};
  panels[0].height_share = 0.62;
  panels[1].height_share = 0.38;
  const auto places = stacked(panels, 64);
  const FigureOptions options;
  const double labels = x_labels_height(panels[1].figure, options, even_measure);
  const double room = 700 - 2 * 12 - 3 * 16 - 2 * labels;
  EXPECT_EQ(places[0].rect.height, std::floor(room * 0.31) + 16);
  EXPECT_EQ(places[1].rect.height, std::floor(room * 0.19) + labels + 16);
  EXPECT_EQ(places[2].rect.height, std::floor(room * 0.5) + labels + 16);
  for (const PanelPlace& place : places) {
    EXPECT_EQ(place.rect.width, 1000);
    EXPECT_EQ(place.options.left_margin, 64);
  }
}

TEST(Panels, NothingIsNegativeInARoomThatIsTooSmall) {
  FigureOptions options;
  std::vector<Panel> panels{panel_of("a"), panel_of("b", true), panel_of("c", true), panel_of("d")};
  for (Panel& panel : panels) add_map(panel.figure);
  for (const Rect& room : {Rect{0, 0, 50, 40}, Rect{0, 0, 300, 10}, Rect{0, 0, 10, 900}}) {
    for (const PanelPlace& place : stack_panels(panels, {room, 12, 8}, options, even_measure)) {
      EXPECT_GE(place.rect.width, 0);
      EXPECT_GE(place.rect.height, 0);
    }
  }
  for (Panel& panel : panels) panel.width_share = 0;
  for (const PanelPlace& place : stacked(panels)) EXPECT_GT(place.rect.width, 200);
}

TEST(Panels, HeightThatAWideMapCannotUseGoesToTheRowBelow) {
  Panel wide = panel_of("column"), square = wide;
  for (Panel* panel : {&wide, &square}) {
    add_map(panel->figure);
    panel->figure.equal_axes = true;
    panel->figure.x.fit = panel->figure.x.range = {0, 1};
    panel->figure.y.fit = panel->figure.y.range = {0, 1};
  }
  wide.figure.x.fit = wide.figure.x.range = {0, 8};
  const auto places = stacked({wide, panel_of("index")}), others = stacked({square, panel_of("index")});
  EXPECT_LT(places[0].rect.height, 230) << "an eighth of its width, and labels";
  EXPECT_GT(places[1].rect.height, 440);
  EXPECT_NEAR(places[1].rect.bottom(), 730, 2) << "nothing is left over";
  EXPECT_GT(others[0].rect.height, 330) << "a square one can use its share";
}

// Small multiples: only the first one has room for the names of the y axis, and the plots are equally large.
TEST(Panels, PlotsThatShareAnAxisAreEquallyLarge) {
  std::vector<Panel> panels = {panel_of("a"), panel_of("a", true), panel_of("a", true),
                               panel_of("a"), panel_of("a", true), panel_of("a", true)};
  for (std::size_t i = 0; i < panels.size(); ++i) {
    panels[i].inner_y = i % 3 != 0;
    panels[i].inner_x = i < 3;
  }
  const auto places = stacked(panels, 64);
  std::vector<Rect> plots;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const Rect& outer = places[i].rect;
    const Rect inside{outer.left + 8, outer.top + 8, outer.width - 16, outer.height - 16};
    plots.push_back(lay_out(panels[i].figure, inside, palette(ThemeName::dark), places[i].options, even_measure).plot);
    EXPECT_NEAR(plots[i].width, plots[0].width, 2) << i;
    EXPECT_NEAR(plots[i].height, plots[0].height, 2) << i;
    EXPECT_EQ(plots[i].left, plots[i % 3].left) << i;
    EXPECT_EQ(places[i].options.show_x_labels, i >= 3) << i;
    EXPECT_EQ(places[i].options.show_y_labels, i % 3 == 0) << i;
  }
}

}  // namespace
}  // namespace ropescope
