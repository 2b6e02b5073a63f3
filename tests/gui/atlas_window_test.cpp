// The atlas in use: a sentence is typed, its words appear on the axis, and the row of a word is read.

#include "app/ui/plot.h"
#include "tests/gui/app_window.h"

namespace ropescope::ui {
namespace {

struct AtlasWindow : AppWindow {
  AtlasWindow() : AppWindow(1600, 1000) {
    Experiment experiment;
    experiment.view = "atlas";
    experiment.atlas.positions = 64;  // a row is several pixels high
    show(experiment);
  }
  /// The pixel of a position in the middle of the map.
  Vec2 at_position(double position) const {
    const Rect plot = gui.rect("plot.atlas");
    const Range range = figure("atlas").y.range;
    return {plot.left + plot.width / 2, plot.top + (position - range.low) / (range.high - range.low) * plot.height};
  }
};

TEST(AtlasWindow, ASentenceIsTypedAndItsWordsStandOnTheAxis) {
  AtlasWindow window;
  EXPECT_TRUE(window.figure("atlas").y.names.empty());
  window.gui.play("click atlas.rows.words; settle; click atlas.sentence; press ctrl+a; type every word has its place");
  window.gui.play("press enter; settle");
  EXPECT_EQ(window.experiment().atlas.sentence, "every word has its place");
  EXPECT_THAT(window.figure("atlas").y.names, ElementsAre("every", "word", "has", "its", "place"));
}

TEST(AtlasWindow, TheRowUnderTheMouseIsShownAndAClickKeepsIt) {
  AtlasWindow window;
  const Experiment before = window.experiment();
  window.gui.move(window.at_position(40));
  window.settle();
  const Series& row = *window.figure("row").lines.at(0).series;
  ASSERT_FALSE(row.ys.empty());
  const auto in_row = [&row](double value) {
    return std::any_of(row.ys.begin(), row.ys.end(), [value](double y) { return std::abs(y - value) < 1e-12; });
  };
  EXPECT_TRUE(in_row(std::sin(40.0))) << "dimension 0 of position 40";
  EXPECT_TRUE(window.gui.shows("hover"));
  EXPECT_EQ(window.experiment(), before) << "to look is no edit";
  window.gui.click_at(window.at_position(60));
  window.settle();
  EXPECT_EQ(window.experiment().atlas.row, 60);
  window.gui.move({20, 990});
  window.settle();
  EXPECT_EQ(window.experiment().atlas.row, 60);
}

TEST(AtlasWindow, TheCardAndTheClipboardSayTheExactValue) {
  AtlasWindow window;
  const Figure& figure = window.figure("atlas");
  const std::optional<double> value = value_at(figure.maps.at(0), 0, 40);
  ASSERT_TRUE(value);
  EXPECT_NEAR(*value, std::sin(40.0), 1.2e-16) << "a unit in the last place, not the float of the cell";
  EXPECT_FALSE(value_at(figure.maps.at(0), -5, 40));
  const std::string copied = values_text(window.app->result, {"atlas", 0, 40});
  EXPECT_THAT(copied, HasSubstr("0.745113160479348"));
}

}  // namespace
}  // namespace ropescope::ui
