// The Similarity view in use: the anchor follows the mouse, a click fixes it, the next click selects a patch to
// compare, and a button asks whether patch 1 is nearer to patch 64 or to patch 65.

#include "app/ui/plot.h"
#include "tests/gui/app_window.h"

namespace ropescope::ui {
namespace {

struct SimilarityWindow : AppWindow {
  explicit SimilarityWindow(Store::Mode mode = Store::Mode::synchronous) : AppWindow(1600, 1000, mode) {
    Experiment experiment;
    experiment.view = "similarity";
    show(experiment);
  }
  /// The pixel of a patch in a map.
  Vec2 at_patch(double column, double row, const std::string& map = "similarity") const {
    const Rect plot = gui.rect("plot." + map);
    const Figure& of = figure(map);
    return {plot.left + (column - of.x.range.low) / (of.x.range.high - of.x.range.low) * plot.width,
            plot.top + (row - of.y.range.low) / (of.y.range.high - of.y.range.low) * plot.height};
  }
  /// Column and row at a pixel of the map.
  Vec2 place_of(const Vec2& pixel) const {
    const Rect plot = gui.rect("plot.similarity");
    const Figure& of = figure("similarity");
    return {of.x.range.low + (pixel.x - plot.left) / plot.width * (of.x.range.high - of.x.range.low),
            of.y.range.low + (pixel.y - plot.top) / plot.height * (of.y.range.high - of.y.range.low)};
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
  EXPECT_EQ(window.experiment().similarity.anchor_mode, AnchorMode::fixed);
  EXPECT_EQ(window.experiment().layout.anchor, 30 * 64 + 20);
  window.gui.move(window.at_patch(41, 17));
  window.settle();
  EXPECT_NEAR(window.value(20, 30), 1, 1e-14) << "it stays";
  window.gui.click_at(window.at_patch(20, 31));
  window.settle();
  EXPECT_EQ(window.readout("patch.target1"), "0.985");
  EXPECT_EQ(window.readout("patch.other"), "0.477");
}

TEST(SimilarityWindow, CellsAreSquare) {
  SimilarityWindow window;
  struct Window {
    float width, height;
    double text_scale;
  };
  for (const auto& [width, height, text_scale] :
       {Window{1600, 1000, 100}, {1280, 720, 100}, {1280, 720, 200}, {3840, 2160, 200}}) {
    window.gui.width = width;
    window.gui.height = height;
    window.app->settings.text_scale = text_scale;
    apply_settings(*window.app, 1);
    window.gui.upload_fonts();
    for (const char* name : {"flux.1", "flux.2", "vit-mixed"}) {
      Experiment experiment = window.experiment();
      experiment.layout.name = name;
      window.show(experiment);
      const auto cell = [&window](const std::string& map) {
        const Vec2 one = window.at_patch(0, 0, map), other = window.at_patch(20, 20, map);
        EXPECT_NEAR(other.x - one.x, other.y - one.y, 1) << map;
        return other.x - one.x;
      };
      EXPECT_NEAR(cell("similarity"), cell("similarity_against"), 0.5) << name << " " << width << " " << text_scale;
    }
  }
}

TEST(SimilarityWindow, AWideImageLeavesItsHeightToTheProfiles) {
  SimilarityWindow window;
  Experiment experiment = window.experiment();
  experiment.layout.width = 4096;
  experiment.layout.height = 512;
  window.show(experiment);
  EXPECT_GT(window.gui.rect("plot.profile").height, 2 * window.gui.rect("plot.similarity").height);
  // What is empty below the map is less than a label high.
  const Rect map = window.gui.rect("plot.similarity"), profile = window.gui.rect("plot.profile");
  EXPECT_LT(profile.top - map.bottom(), 130);
}

TEST(SimilarityWindow, OneButtonAsksTheQuestion) {
  SimilarityWindow window;
  window.gui.click_at(window.at_patch(20, 30));
  window.gui.play("settle; click layout.ask; settle");
  EXPECT_EQ(window.experiment().layout.anchor, 0);
  EXPECT_EQ(window.readout("patch.target1"), "0.794");
  EXPECT_EQ(window.readout("patch.target2"), "0.985");
  EXPECT_EQ(window.readout("patch.nearer"), "65");
}

/// Nothing is left to a worker while the mouse moves over the largest image: what is drawn is never that of an earlier
/// place.
TEST(SimilarityWindow, TheLargestImageIsFollowedWithoutAWorker) {
  SimilarityWindow window(Store::Mode::asynchronous);
  Experiment experiment = window.experiment();
  experiment.layout.width = experiment.layout.height = 8192;
  window.show(experiment);
  for (const double column : {400.0, 30.0, 222.0}) {
    window.gui.move(window.at_patch(column, 100));
    window.gui.frames(2);
    EXPECT_FALSE(window.app->result.stale);
    // The mouse stands on a whole pixel, which is more than a patch here.
    const Vec2 at = window.at_patch(column, 100);
    const Vec2 place = window.place_of({std::floor(at.x), std::floor(at.y)});
    EXPECT_NEAR(place.x, column, 3);
    EXPECT_NEAR(place.y, 100, 3);
    // The anchor is the patch under the mouse; at an edge between two, rounding may lead to its neighbour.
    double nearest = 0;
    for (const double x : {std::floor(place.x), std::ceil(place.x)}) {
      for (const double y : {std::floor(place.y), std::ceil(place.y)}) nearest = std::max(nearest, window.value(x, y));
    }
    EXPECT_NEAR(nearest, 1, 1e-13);
  }
}

}  // namespace
}  // namespace ropescope::ui
