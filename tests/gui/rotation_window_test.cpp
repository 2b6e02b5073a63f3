// Rotation in use: arrows are dragged, clocks are clicked, positions are shifted, the picture is played.

#include "tests/gui/app_window.h"

namespace ropescope::ui {
namespace {

/// A window that shows the rotation.
struct RotationWindow : AppWindow {
  RotationWindow() : AppWindow(1600, 1000) {
    Experiment experiment;
    experiment.view = "rotation";
    show(experiment);
  }
  const RotationFields& fields() const { return experiment().rotation; }
};

TEST(RotationWindow, AnArrowIsDraggedAndFollowsTheMouse) {
  RotationWindow window;
  const Vec2 tip = window.gui.centre("handle.plane.q");
  const double unit = tip.x - window.gui.centre("plot.plane").x;  // q begins at (1, 0), the plane's middle is (0, 0)
  ASSERT_GT(unit, 50);
  const Experiment before = window.experiment();
  window.gui.drag_from(tip, {tip.x - 0.5 * unit, tip.y - 0.5 * unit});
  EXPECT_NEAR(window.fields().qx, 0.5, 0.02);
  EXPECT_NEAR(window.fields().qy, 0.5, 0.02);
  EXPECT_EQ(window.fields().kx, before.rotation.kx);
  const Vec2 after = window.gui.centre("handle.plane.q");
  EXPECT_NEAR(after.x, tip.x - 0.5 * unit, 3) << "the axes did not run away under the mouse";
  EXPECT_NEAR(after.y, tip.y - 0.5 * unit, 3);
  window.gui.press(Key::z, true);
  EXPECT_EQ(window.experiment(), before) << "a drag is one step";
}

TEST(RotationWindow, TheHelixIsTurnedByDraggingAnywhere) {
  RotationWindow window;
  Experiment experiment = window.experiment();
  experiment.rotation.show = RotationShow::helix;
  window.show(experiment);
  const Rect plot = *window.app->record.find("plot.helix");
  const Vec2 from{plot.left + 0.7 * plot.width, plot.top + 0.3 * plot.height};
  window.gui.drag_from(from, {from.x - 0.2 * plot.width, from.y + 0.1 * plot.height});
  EXPECT_NEAR(window.fields().yaw, kHelixYaw + 36, 2);
  EXPECT_NEAR(window.fields().pitch, kHelixPitch + 9, 2);
  window.gui.press(Key::z, true);
  EXPECT_EQ(window.experiment(), experiment) << "a drag is one step";
  window.gui.click("rotation.along_axis");
  EXPECT_EQ(std::pair(window.fields().yaw, window.fields().pitch), std::pair(90.0, 0.0));
  window.gui.drag_from(from, {from.x + 0.25 * plot.width, from.y});
  EXPECT_NEAR(window.fields().yaw, 45, 2) << "the front follows the mouse";
}

TEST(RotationWindow, AClockIsClickedAndComesIntoThePlane) {
  RotationWindow window;
  window.gui.click("handle.clocks.pair.20");
  EXPECT_EQ(window.fields().pair, 20);
  EXPECT_THAT(window.figure("plane").title, HasSubstr("20"));
  EXPECT_EQ(window.gui.shows("handle.clocks.pair.63"), true);
  window.gui.drag_from(window.gui.centre("handle.clocks.pair.30"), window.gui.centre("handle.clocks.pair.31"));
  EXPECT_EQ(window.fields().pair, 20) << "a drag is no click";
}

TEST(RotationWindow, ShiftingBothKeepsTheScoreAndTurnsTheVectors) {
  RotationWindow window;
  window.gui.click("rotation.locked");
  ASSERT_TRUE(window.fields().locked);
  const double distance = window.fields().query_position - window.fields().key_position;
  const std::string score = window.app->result.readouts.at(0).text;
  ASSERT_EQ(window.figure("plane").arrows.at(2).key, "turned_q");
  const Arrow turned = window.figure("plane").arrows.at(2);
  window.gui.drag("rotation.query_position", 23);
  EXPECT_GT(window.fields().query_position, 7);
  EXPECT_EQ(window.fields().query_position - window.fields().key_position, distance);
  EXPECT_EQ(window.app->result.readouts.at(0).text, score);
  const Arrow& moved = window.figure("plane").arrows.at(2);
  EXPECT_GT(std::hypot(moved.x1 - turned.x1, moved.y1 - turned.y1), 1e-3);
  window.gui.click("rotation.locked");
  window.gui.drag("rotation.query_position", 23);
  EXPECT_NE(window.app->result.readouts.at(0).text, score);
}

TEST(RotationWindow, ItPlaysPausesAndSteps) {
  RotationWindow window;
  const Experiment before = window.experiment();
  window.gui.click("player.step");
  EXPECT_EQ(window.fields().query_position, before.rotation.query_position + 1);
  window.gui.click("player.back");
  EXPECT_EQ(window.experiment(), before);
  EXPECT_GT(seconds_to_frame(*window.app), 0);
  window.gui.click("player.play");
  EXPECT_TRUE(window.fields().playing);
  EXPECT_EQ(seconds_to_frame(*window.app), 0) << "it goes on without input";
  window.gui.frames(60);
  EXPECT_NEAR(window.fields().query_position + window.fields().glide, 7 + 4, 1.5) << "four positions a second";
  window.gui.click("player.play");
  EXPECT_FALSE(window.fields().playing);
  const double paused = window.fields().query_position;
  window.gui.frames(30);
  EXPECT_EQ(window.fields().query_position, paused);
}

TEST(RotationWindow, PlayingMakesNoStepsOfUndo) {
  RotationWindow window;
  window.gui.press(Key::space);
  ASSERT_TRUE(window.fields().playing) << "Space plays";
  window.gui.frames(120);
  ASSERT_GT(window.fields().query_position, 10);
  window.gui.press(Key::z, true);
  EXPECT_FALSE(window.fields().playing);
  EXPECT_EQ(window.fields().query_position, 7) << "back to where it began to play";
}

TEST(RotationWindow, ViewsWithoutRopesOfferNoPins) {
  RotationWindow window;
  EXPECT_FALSE(window.gui.shows("chip.current"));
  window.gui.press(Key::p);
  EXPECT_TRUE(window.experiment().pins.empty());
  EXPECT_TRUE(window.gui.shows("player.play"));
  Experiment decay = window.experiment();
  decay.view = "decay";
  window.show(decay);
  EXPECT_TRUE(window.gui.shows("chip.current"));
  EXPECT_FALSE(window.gui.shows("player.play"));
}

}  // namespace
}  // namespace ropescope::ui
