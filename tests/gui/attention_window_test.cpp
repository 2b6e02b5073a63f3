// Attention as a person plays with it: a word of the lower line is dragged to another place.

#include <gtest/gtest.h>

#include "tests/gui/app_window.h"

namespace ropescope::ui {
namespace {

TEST(AttentionWindow, AWordOfTheLowerLineIsDraggedToAnotherPlace) {
  AppWindow window(1600, 1000);
  Experiment experiment;
  experiment.view = "attention";
  experiment.attention.show = "shuffle";
  experiment.attention.content = "words";
  experiment.attention.sentence = "dog bites man";
  experiment.attention.order = "0,1,2";
  experiment.attention.encoding = "none";
  experiment.rope.rotary_dim = experiment.rope.head_dim = 16;
  window.show(experiment);
  const Vec2 dog = window.gui.centre("handle.sentence.token.0/3"), man = window.gui.centre("handle.sentence.token.2/3");
  ASSERT_GT(man.x, dog.x + 50);
  window.gui.drag_from(dog, {man.x + 10, man.y});
  EXPECT_EQ(window.experiment().attention.order, "1,2,0");
  EXPECT_GT(window.gui.centre("handle.sentence.token.0/3").x, window.gui.centre("handle.sentence.token.2/3").x);
  window.gui.press(Key::z, true);
  EXPECT_EQ(window.experiment(), experiment) << "a drag is one step";
}

}  // namespace
}  // namespace ropescope::ui
