// The Similarity view as a person uses it: the mouse is followed, a click keeps the anchor, the next one asks about a
// patch, and one button asks the question of the seeds.

#include <gmock/gmock.h>

#include "app/ui/hover.h"
#include "tests/gui/app_window.h"

namespace ropescope::ui {
namespace {

struct SimilarityWindow : AppWindow {
  explicit SimilarityWindow(Store::Mode mode = Store::Mode::synchronous) : AppWindow(1600, 1000, mode) {
    Experiment experiment;
    experiment.view = "similarity";
    app->history.record(experiment, false);
    app->history.seal();
    settle();
  }
  void settle() {
    gui.frames();
    app->store.wait();
    gui.frames();
  }
  /// The pixel of a patch in a map.
  Vec2 at_patch(double column, double row, const std::string& map = "similarity") const {
    const Rect plot = gui.rect("plot." + map);
    const Figure& of = figure(map);
    return {plot.left + (column - of.x.range.low) / (of.x.range.high - of.x.range.low) * plot.width,
            plot.top + (row - of.y.range.low) / (of.y.range.high - of.y.range.low) * plot.height};
  }
  double value(double column, double row, const std::string& map = "similarity") const {
    return value_at(figure(map).maps.at(0), column, row).value_or(-9);
  }
};

TEST(SimilarityWindow, TheMapFollowsTheMouseAndAClickKeepsIt) {
  SimilarityWindow window;
  const Experiment before = window.experiment();
  EXPECT_NEAR(window.value(0, 0), 1, 1e-14);
  window.gui.move(window.at_patch(41, 17));
  window.settle();
  EXPECT_NEAR(window.value(41, 17), 1, 1e-14);
  EXPECT_NEAR(window.value(41, 17, "similarity_against"), 1, 1e-14);
  EXPECT_LT(window.value(0, 0), 0.9);
  EXPECT_TRUE(window.gui.shows("hover"));
  EXPECT_EQ(window.experiment(), before) << "to look is no edit";
  window.gui.move(window.at_patch(10, 50, "similarity_against"));
  window.settle();
  EXPECT_NEAR(window.value(10, 50), 1, 1e-14) << "from either map";
  window.gui.click_at(window.at_patch(20, 30));
  window.settle();
  EXPECT_EQ(window.experiment().similarity.anchor_mode, "fixed");
  EXPECT_EQ(window.experiment().layout.anchor, 30 * 64 + 20);
  window.gui.move(window.at_patch(41, 17));
  window.settle();
  EXPECT_NEAR(window.value(20, 30), 1, 1e-14) << "it stays";
  window.gui.click_at(window.at_patch(20, 31));
  window.settle();
  EXPECT_EQ(window.readout("patch_target1"), "0.985");
  EXPECT_EQ(window.readout("patch_other"), "0.477");
}

TEST(SimilarityWindow, CellsAreSquare) {
  SimilarityWindow window;
  for (const char* map : {"plot.similarity", "plot.similarity_against"}) {
    const Rect plot = window.gui.rect(map);
    EXPECT_NEAR(plot.width, plot.height, 1) << map;
  }
  EXPECT_EQ(window.gui.rect("plot.similarity").width, window.gui.rect("plot.similarity_against").width);
}

TEST(SimilarityWindow, OneButtonAsksTheQuestion) {
  SimilarityWindow window;
  window.gui.click_at(window.at_patch(20, 30));
  window.settle();
  window.gui.click("layout.ask");
  window.settle();
  EXPECT_EQ(window.experiment().layout.anchor, 0);
  EXPECT_EQ(window.readout("patch_target1"), "0.794");
  EXPECT_EQ(window.readout("patch_target2"), "0.985");
  EXPECT_EQ(window.readout("patch_nearer"), "65");
}

/// Nothing is left to a worker while the mouse moves over the largest image: what is drawn is never that of an earlier
/// place.
TEST(SimilarityWindow, TheLargestImageIsFollowedWithoutAWorker) {
  SimilarityWindow window(Store::Mode::asynchronous);
  Experiment experiment = window.experiment();
  experiment.layout.width = experiment.layout.height = 8192;
  window.app->history.record(experiment, false);
  window.settle();
  for (const double column : {400.0, 30.0, 222.0}) {
    window.gui.move(window.at_patch(column, 100));
    window.gui.frames(2);
    EXPECT_FALSE(window.app->result.stale);
    const Figure& map = window.figure("similarity");
    const Vec2 at = window.at_patch(column, 100);
    const Rect plot = window.gui.rect("plot.similarity");
    const double x = map.x.range.low + (at.x - plot.left) / plot.width * (map.x.range.high - map.x.range.low);
    EXPECT_NEAR(window.value(std::round(x), 100), 1, 1e-13);
  }
}

}  // namespace
}  // namespace ropescope::ui
