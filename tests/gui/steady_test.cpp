// Behaviour that would disturb users: undo that only switches views, cards that jump, text that cannot be read to its
// end, and spans that hide the length a model was trained on.

#include "tests/gui/app_window.h"

namespace ropescope::ui {
namespace {

TEST(Undo, StepsOverWhatChangedNumbers) {
  AppWindow window;
  const double before = window.experiment().rope.base;
  window.gui.drag("rope.base", 60);
  const double after = window.experiment().rope.base;
  window.gui.play("press 3; press 5");
  EXPECT_EQ(window.experiment().view, "precision");
  window.gui.press(Key::z, true);
  EXPECT_EQ(window.experiment().rope.base, before) << "one step, whatever was looked at since";
  EXPECT_EQ(window.experiment().view, "decay") << "where it was changed";
  window.gui.press(Key::y, true);
  EXPECT_EQ(window.experiment().rope.base, after);
  EXPECT_EQ(window.experiment().view, "decay");
}

TEST(Cards, KeepTheirHeightWhileTheirNumberChanges) {
  AppWindow window;
  const auto place = [&window] { return window.gui.rect("card." + window.app->result.readouts.front().name); };
  const Rect before = place();
  // Fewer cards are wider, and would need less height.
  ASSERT_GT(window.app->result.readouts.size(), 4u);
  window.app->result.readouts.resize(3);
  window.gui.frames();
  ASSERT_EQ(window.app->result.readouts.size(), 3u);
  EXPECT_GT(place().width, 1.3 * before.width);
  EXPECT_EQ(place().height, before.height);
  EXPECT_EQ(place().top, before.top);
}

TEST(Cards, UnfoldAllOfTheirWords) {
  AppWindow window(1280, 720);
  Experiment experiment = window.experiment();
  experiment.view = "limits";
  window.show(experiment, 3);
  ASSERT_FALSE(window.app->result.readouts.empty());
  const std::string name = window.app->result.readouts.front().name;
  EXPECT_FALSE(window.gui.shows("card.whole"));
  window.gui.click("card." + name);
  window.gui.frames();
  ASSERT_TRUE(window.gui.shows("card.whole"));
  const Rect whole = window.gui.rect("card.whole");
  EXPECT_GE(whole.left, 0);
  EXPECT_GE(whole.top, 0);
  EXPECT_LE(whole.right(), 1280);
  EXPECT_LE(whole.bottom(), 720);
  window.gui.play("press escape; frames");
  EXPECT_FALSE(window.gui.shows("card.whole"));
}

TEST(Messages, UnfoldWhereTheyAreLong) {
  AppWindow window(1000, 700);
  std::string words;
  for (int i = 0; i < 200; ++i) words += "word" + std::to_string(i) + " ";
  window.app->messages.push_back({words});
  window.gui.frames();
  const double folded = window.gui.rect("message.0").height;
  window.gui.play("click message.0; frames");
  EXPECT_GT(window.gui.rect("message.0").height, 1.5 * folded);
  window.gui.play("click message.0; frames");
  EXPECT_EQ(window.gui.rect("message.0").height, folded);
  ASSERT_EQ(window.app->messages.size(), 1u);
}

TEST(Opening, MovesSpansAlongThatNobodySet) {
  AppWindow window;
  open_preset(*window.app, "command-r-08-2024");
  window.gui.frames();
  EXPECT_EQ(window.experiment().rope.trained_length, 131072);
  EXPECT_EQ(window.experiment().decay.span, 131072);
  EXPECT_EQ(window.experiment().limits.context, 131072);
  open_preset(*window.app, "llama-2-7b");
  window.gui.frames();
  EXPECT_EQ(window.experiment().decay.span, 4096) << "set by the opening before, not by a person";
  Experiment experiment = window.experiment();
  experiment.decay.span = 777;
  window.show(experiment);
  open_preset(*window.app, "command-r-08-2024");
  window.gui.frames();
  EXPECT_EQ(window.experiment().decay.span, 777);
  EXPECT_EQ(window.experiment().limits.context, 131072);
}

}  // namespace
}  // namespace ropescope::ui
