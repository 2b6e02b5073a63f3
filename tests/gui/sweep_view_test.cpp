// From a card to the curve of its number over a field.

#include "tests/gui/app_window.h"

namespace ropescope::ui {
namespace {

TEST(SweepWindow, ACardIsPlottedOverAField) {
  AppWindow window;
  window.gui.play("click card.decay.first_negative; frames");
  ASSERT_TRUE(window.gui.shows("card.over.rope.base"));
  ASSERT_TRUE(window.gui.shows("card.over.rope.rotary_dim"));
  window.gui.play("click card.over.rope.base; settle 3");
  EXPECT_EQ(window.experiment().view, "sweep");
  EXPECT_EQ(window.experiment().sweep.readout, "decay.first_negative");
  EXPECT_EQ(window.experiment().sweep.over, "rope.base=1000..1e+05");
  const Figure& figure = window.figure("sweep");
  EXPECT_EQ(figure.lines.at(0).series->xs.size(), 50u);
  EXPECT_FALSE(figure.stale);
  EXPECT_EQ(window.readout("sweep.defined"), "49 of 50");
  const std::vector<double>& values = figure.lines.at(0).series->ys;
  EXPECT_EQ(std::count_if(values.begin(), values.end(), [](double value) { return std::isnan(value); }), 1)
      << "one base has no negative similarity so near";
  EXPECT_TRUE(window.app->messages.empty());
}

TEST(SweepWindow, FillsInWhileItIsComputed) {
  AppWindow window(1600, 1000, Store::Mode::asynchronous);
  Experiment chosen;
  chosen.view = "sweep";
  chosen.sweep.over = "rope.base=1e3..1e7:60:log";
  chosen.decay.span = 131072;
  window.app->history.record(chosen, false);
  window.gui.frames();
  ASSERT_TRUE(window.app->result.stale);
  EXPECT_THAT(window.app->result.status, HasSubstr("of 60 points"));
  ASSERT_TRUE(window.app->result.progress);
  window.settle(40);
  EXPECT_FALSE(window.app->result.stale);
  EXPECT_FALSE(window.app->result.progress);
}

}  // namespace
}  // namespace ropescope::ui
