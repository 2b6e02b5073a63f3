#include "app/experiment/experiment.h"

#include "tests/test.h"

namespace ropescope {
namespace {

Experiment with_base(double base) {
  Experiment experiment;
  experiment.rope.base = base;
  return experiment;
}

TEST(History, UndoAndRedo) {
  History history;
  EXPECT_FALSE(history.can_undo());
  EXPECT_FALSE(history.can_redo());
  history.record(with_base(100), false);
  history.record(with_base(200), false);
  history.undo();
  EXPECT_EQ(history.current().rope.base, 100);
  history.undo();
  EXPECT_EQ(history.current(), Experiment{});
  EXPECT_FALSE(history.can_undo());
  history.undo();
  EXPECT_EQ(history.current(), Experiment{});
  history.redo();
  history.redo();
  EXPECT_EQ(history.current().rope.base, 200);
  EXPECT_FALSE(history.can_redo());
  history.redo();
  EXPECT_EQ(history.current().rope.base, 200);
}

TEST(History, EqualValuesAreNoStep) {
  History history(with_base(100));
  history.record(with_base(100), false);
  EXPECT_FALSE(history.can_undo());
}

TEST(History, ANewStepDropsWhatWasUndone) {
  History history;
  history.record(with_base(100), false);
  history.record(with_base(200), false);
  history.undo();
  history.record(with_base(300), false);
  EXPECT_FALSE(history.can_redo());
  history.undo();
  EXPECT_EQ(history.current().rope.base, 100);
}

TEST(History, ADragIsOneStep) {
  History history;
  for (double base = 100; base <= 150; ++base) history.record(with_base(base), true);
  EXPECT_EQ(history.current().rope.base, 150);
  history.undo();
  EXPECT_EQ(history.current(), Experiment{});
  EXPECT_FALSE(history.can_undo());
  history.redo();
  EXPECT_EQ(history.current().rope.base, 150);
}

TEST(History, TwoDragsAreTwoSteps) {
  History history;
  history.record(with_base(100), true);
  history.record(with_base(110), true);
  history.end_merge();
  history.record(with_base(120), true);
  history.record(with_base(130), true);
  history.undo();
  EXPECT_EQ(history.current().rope.base, 110);
}

TEST(History, ADragAfterUndoKeepsTheStateItBeganOn) {
  History history;
  history.record(with_base(100), true);
  history.record(with_base(200), false);
  history.undo();
  history.record(with_base(300), true);
  history.undo();
  EXPECT_EQ(history.current().rope.base, 100);
}

TEST(History, ADragBackToItsBeginningIsNoStep) {
  History history;
  history.record(with_base(100), false);
  history.record(with_base(110), true);
  history.record(with_base(100), true);
  history.undo();
  EXPECT_EQ(history.current(), Experiment{});
  // And the drag goes on as a step of its own.
  History other;
  other.record(with_base(110), true);
  other.record(Experiment{}, true);
  other.record(with_base(120), true);
  EXPECT_EQ(other.current().rope.base, 120);
  other.undo();
  EXPECT_EQ(other.current(), Experiment{});
}

TEST(History, ToSwitchViewsIsNoStep) {
  const auto seen_in = [](double base, const char* view) {
    Experiment experiment = with_base(base);
    experiment.view = view;
    return experiment;
  };
  History history(seen_in(10, "decay"));
  history.record(seen_in(10, "limits"), false);
  EXPECT_FALSE(history.can_undo());
  history.record(seen_in(20, "limits"), true);
  history.record(seen_in(20, "check"), true);
  history.record(seen_in(30, "check"), true);
  history.undo();
  EXPECT_EQ(history.current(), seen_in(20, "check")) << "a drag ends where the view changes";
  history.undo();
  EXPECT_EQ(history.current(), seen_in(10, "limits"));
  history.record(seen_in(10, "atlas"), false);
  EXPECT_TRUE(history.can_redo()) << "looking elsewhere undoes nothing";
  history.redo();
  EXPECT_EQ(history.current(), seen_in(20, "limits")) << "seen where it was done";
}

TEST(History, ForgetsTheOldestBeyondItsLimit) {
  History history;
  for (int i = 1; i <= 2000; ++i) history.record(with_base(100 + i), false);
  EXPECT_EQ(history.current().rope.base, 2100);
  int steps = 0;
  while (history.can_undo()) {
    history.undo();
    ++steps;
  }
  EXPECT_EQ(steps, 999);
  EXPECT_EQ(history.current().rope.base, 2100 - 999);
}

}  // namespace
}  // namespace ropescope
