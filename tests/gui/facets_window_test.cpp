// Small multiples and related curves in use: created from the menus and in the fields, and removed again.

#include "app/views/shared/facets.h"
#include "tests/gui/large_window.h"

namespace ropescope::ui {
namespace {

std::size_t cells(const AppWindow& window) {
  std::size_t count = 0;
  for (const Panel& panel : window.app->result.panels) count += panel.figure.name.starts_with("similarity@") ? 1 : 0;
  return count;
}

TEST(FacetsWindow, AFieldsMenuMakesAndEndsThem) {
  AppWindow window;
  window.gui.play("right_click rope.base.label; click field.menu.facet; settle");
  EXPECT_THAT(window.experiment().facet.across, HasSubstr("rope.base="));
  EXPECT_EQ(cells(window), 3u);
  for (const char* cell : {"plot.similarity@1", "plot.similarity@2", "plot.similarity@3"}) {
    EXPECT_TRUE(window.gui.shows(cell)) << cell;
  }
  EXPECT_TRUE(window.gui.shows("facet.across")) << "the field to edit them";
  window.gui.play("press ctrl+z; settle");
  EXPECT_EQ(window.experiment().facet, FacetFields());
  EXPECT_EQ(cells(window), 0u);
  window.gui.play("press ctrl+y; right_click rope.base.label; click field.menu.facet");
  EXPECT_EQ(window.experiment().facet, FacetFields()) << "the same entry ends them";
}

TEST(FacetsWindow, PlotsAreEquallyLarge) {
  AppWindow window;
  Experiment experiment = window.experiment();
  experiment.facet.across = "rope.base=1e3,1e4,1e5";
  window.show(experiment);
  const Rect first = window.gui.rect("plot.similarity@1");
  for (const char* cell : {"plot.similarity@2", "plot.similarity@3"}) {
    EXPECT_NEAR(window.gui.rect(cell).width, first.width, 2) << cell;
    EXPECT_EQ(window.gui.rect(cell).top, first.top) << cell;
    EXPECT_EQ(window.gui.rect(cell).height, first.height) << cell;
  }
}

TEST(FacetsWindow, ZoomOfOneIsZoomOfAll) {
  AppWindow window;
  Experiment experiment = window.experiment();
  experiment.facet.across = "rope.base=1e3,1e4";
  window.show(experiment);
  window.gui.wheel("plot.similarity@2", 3);
  window.settle();
  ASSERT_TRUE(window.experiment().decay.zooms.find("decay.distance_range"));
  EXPECT_EQ(window.figure("similarity@1").x.range, window.figure("similarity@2").x.range);
  EXPECT_EQ(window.figure("similarity@1").y.range, window.figure("similarity@2").y.range);
  EXPECT_LT(window.figure("similarity@1").x.range.high, window.figure("similarity@1").x.fit.high);
}

TEST(FacetsWindow, TheFieldIsEditedAndCleared) {
  AppWindow window;
  Experiment experiment = window.experiment();
  experiment.facet.across = "rope.base=1e3,1e4";
  window.show(experiment);
  window.gui.play("click facet.across; type base=100,1000,1e5,1e6; press enter; settle");
  EXPECT_EQ(cells(window), 4u);
  window.gui.play("click facet.across; type bsae=1; press enter; settle");
  EXPECT_THAT(window.app->result.fault, HasSubstr("expected base"));
  window.gui.play("double_click facet.across.label; settle");
  EXPECT_EQ(window.experiment().facet, FacetFields());
  EXPECT_EQ(window.app->result.fault, "");
}

TEST(FacetsWindow, TheFiguresMenuTakesModelsAndEndsAll) {
  AppWindow window;
  window.gui.play("right_click plot.similarity; click menu.facet_models; settle");
  EXPECT_EQ(cells(window), 2u);
  EXPECT_THAT(command_line_of(window.experiment(), window.app->settings), HasSubstr("facet.across=model=llama-2-7b"));
  window.gui.play("right_click plot.similarity@1; click menu.no_facets; settle");
  EXPECT_EQ(window.experiment().facet, FacetFields());
}

TEST(FacetsWindow, AClickInACellIsOneInItsFigure) {
  AppWindow window;
  Experiment experiment = window.experiment();
  experiment.view = "layout";
  experiment.facet.across = "layout.name=flux.1,qwen-image";
  window.show(experiment, 2);
  const double before = window.experiment().layout.anchor;
  // The image of the second cell, not what stands beside it.
  const std::vector<Panel>& panels = window.app->result.panels;
  std::string figure;
  for (const Panel& panel : panels) {
    if (figure_of_cell(panel.figure.name) == figure_of_cell(panels.front().figure.name)) figure = panel.figure.name;
  }
  window.gui.click("plot." + figure);
  window.settle();
  EXPECT_NE(window.experiment().layout.anchor, before) << figure;
}

/// Every plot of the pages of a window, and how many there are.
void expect_readable(AppWindow& window, double width, double height, std::size_t plots) {
  const double em = static_cast<double>(window.app->ui.px(13));
  std::set<std::string> seen;
  const std::size_t pages = std::max<std::size_t>(1, window.app->plot.pages);
  for (std::size_t page = 0; page < pages; ++page) {
    window.app->plot.page = page;
    window.settle();
    for (const Panel& panel : window.app->result.panels) {
      const std::string key = "plot." + panel.figure.name;
      if (!window.gui.shows(key)) continue;
      EXPECT_GE(window.gui.rect(key).width, width * em) << key;
      EXPECT_GE(window.gui.rect(key).height, height * em) << key;
      seen.insert(key);
    }
  }
  EXPECT_EQ(seen.size(), plots);
}

TEST(FacetsWindow, ManyCellsAreReadableWhateverTheWindow) {
  for (const auto& [width, height, text] :
       {std::tuple{1280.0, 720.0, 100}, std::tuple{1280.0, 720.0, 200}, std::tuple{3840.0, 2160.0, 200}}) {
    SCOPED_TRACE(std::to_string(width) + " at " + std::to_string(text) + " %");
    LargeWindow window({width, height, static_cast<double>(text)});
    Experiment experiment = window.experiment();
    experiment.decay.show_bound = true;
    experiment.facet.across = "rope.base=1e3..1e7:24:log";
    window.show(experiment, 2);
    expect_readable(window, 7, 3.4, 48);
    experiment.view = "attention";
    experiment.facet.across = "attention.encoding=rope,alibi,kerple,t5";
    window.show(experiment, 2);
    expect_readable(window, 6, 3.4, 12);
  }
}

TEST(FacetsWindow, FewCellsHaveAllTheirFiguresOnOnePage) {
  AppWindow window;
  window.show_bound();
  Experiment experiment = window.experiment();
  experiment.facet.across = "rope.base=1e3,1e4,1e5";
  window.show(experiment);
  EXPECT_EQ(window.app->plot.pages, 1u);
  EXPECT_TRUE(window.gui.shows("plot.similarity@3") && window.gui.shows("plot.bound@3"));
}

TEST(FacetsWindow, TheEndOfAnUnfinishedRowIsEmpty) {
  AppWindow window;
  Experiment experiment = window.experiment();
  experiment.decay.show_bound = false;
  experiment.facet.across = "rope.base=1e3..1e7:11:log";
  window.show(experiment);
  const Rect above = window.gui.rect("plot.similarity@1"), below = window.gui.rect("plot.similarity@11");
  EXPECT_GT(below.top, above.bottom());
  EXPECT_NEAR(above.width, below.width, 2);
  EXPECT_NEAR(above.height, below.height, 2);
  EXPECT_FALSE(window.gui.shows("plot."));
}

TEST(CurvesWindow, ARangeOfValuesEndsWithThem) {
  AppWindow window(1600, 2400);
  Experiment experiment = window.experiment();
  experiment.pins.resize(1);
  experiment.pins[0].rope.base = 100;
  experiment.decay.zooms["decay.similarity_range"] = Range{0.2, 0.4};
  window.show(experiment);
  window.gui.play("click curves.shown_as.difference; settle");
  ASSERT_EQ(window.experiment().curves.shown_as, ShownAs::difference);
  EXPECT_FALSE(window.experiment().decay.zooms.find("decay.similarity_range"));
  window.gui.wheel("plot.similarity", 3);
  window.settle();
  EXPECT_TRUE(window.experiment().decay.zooms.find("decay.similarity_range")) << "differences can be zoomed";
}

TEST(DecayWindow, TheSwitchesOfDifferencesHaveAName) {
  AppWindow window;
  Experiment experiment = window.experiment();
  experiment.decay.show = DecayShow::differences;
  window.show(experiment);
  ASSERT_TRUE(window.gui.shows("decay.show_trend"));
  bool named = false;
  const double top = window.gui.rect("decay.show_trend").top;
  for (const DrawnLine& drawn : DrawnText().lines()) {
    named |=
        drawn.text == window.app->text["row.decay.show_similarity"] && drawn.box.top < top && drawn.box.top > top - 40;
  }
  EXPECT_TRUE(named);
}

TEST(CurvesWindow, AreRelatedByAControl) {
  AppWindow window;
  EXPECT_FALSE(window.gui.shows("curves.shown_as"));
  Experiment experiment = window.experiment();
  experiment.pins.resize(1);
  experiment.pins[0].rope.base = 100;
  experiment.decay.show_bound = false;
  window.show(experiment);
  ASSERT_TRUE(window.gui.shows("curves.shown_as"));
  experiment.curves.shown_as = ShownAs::difference;
  window.show(experiment);
  EXPECT_EQ(window.figure("similarity").y.name, "similarity_difference");
  EXPECT_TRUE(window.gui.shows("curves.relative_to"));
}

TEST(CurvesWindow, FollowTheirPin) {
  Experiment experiment;
  experiment.pins.resize(3);
  experiment.curves = {ShownAs::ratio, "pin2", {}};
  move_pin(experiment, 1, 0);
  EXPECT_EQ(experiment.curves.relative_to, "pin1");
  move_pin(experiment, 2, 0);
  EXPECT_EQ(experiment.curves.relative_to, "pin2");
  remove_pin(experiment, 0);
  EXPECT_EQ(experiment.curves.relative_to, "pin1");
  remove_pin(experiment, 0);
  EXPECT_EQ(experiment.curves.relative_to, "current");
}

}  // namespace
}  // namespace ropescope::ui
