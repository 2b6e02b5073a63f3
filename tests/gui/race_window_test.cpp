// The Race view in use: Space starts a race, it continues on its own, changes on the way are marked, a killed window
// continues where it was, and a button inspects the heads.

#include "core/attention/attention.h"
#include "tests/gui/app_window.h"

namespace ropescope::ui {
namespace {

Experiment small_race() {
  Experiment experiment;
  experiment.view = "race";
  RaceFields& fields = experiment.race;
  fields.encodings = {"none", "rope"};
  fields.task = RaceTask::copy, fields.distance = 3;
  fields.layers = 1, fields.width = 32, fields.heads = 2, fields.length = 32, fields.batch = 2, fields.steps = 40;
  return experiment;
}

struct RaceWindow : AppWindow {
  explicit RaceWindow(bool fresh = true) : AppWindow(1600, 1000, Store::Mode::asynchronous, fresh) {}

  /// Frames until nothing is being computed or saved any more.
  void until_it_stands() {
    for (int pass = 0; pass < 1000; ++pass) {
      settle();
      if (!app->result.stale) return;
    }
    ADD_FAILURE() << "it does not stand";
  }
  std::size_t steps() const {
    for (const Panel& panel : app->result.panels) {
      if (!panel.figure.lines.empty()) return panel.figure.lines.back().series->ys.size();
    }
    return 0;
  }
  /// The key of the button on a card.
  static std::string button_of(const std::string& card) { return "card." + card + ".action"; }
};

TEST(RaceWindow, SpaceStartsItAndItGoesOnByItself) {
  RaceWindow window;
  window.show(small_race());
  window.until_it_stands();
  EXPECT_EQ(window.steps(), 0u);
  EXPECT_THAT(window.figure("race").empty_message, HasSubstr("2 runners"));
  window.gui.press(Key::space);
  EXPECT_TRUE(window.experiment().race.running);
  EXPECT_FALSE(window.app->animated) << "frames come with what the worker has finished, not all the time";
  window.until_it_stands();
  EXPECT_EQ(window.steps(), 40u);
  EXPECT_THAT(window.app->result.status, HasSubstr("saved at step 40"));
}

TEST(RaceWindow, OneStepIsOneStepAndAnotherRaceBeginsAtItsBeginning) {
  RaceWindow window;
  window.show(small_race());
  window.until_it_stands();
  for (std::size_t step = 1; step <= 3; ++step) {
    window.gui.click("player.step");
    window.until_it_stands();
    EXPECT_EQ(window.steps(), step);
  }
  window.gui.click("race.restart");
  window.until_it_stands();
  EXPECT_EQ(window.steps(), 0u) << "nobody asked for a step of this one";
  window.gui.press(Key::z, true);
  window.until_it_stands();
  EXPECT_EQ(window.steps(), 3u) << "undo brings the other one back";
}

TEST(RaceWindow, GoesOnWhereAWindowWasKilled) {
  std::vector<double> before;
  {
    RaceWindow window;
    Experiment experiment = small_race();
    experiment.race.steps = 25, experiment.race.running = true;
    window.show(experiment);
    window.until_it_stands();
    before = window.figure("race").lines.back().series->ys;
    ASSERT_EQ(before.size(), 25u);
  }
  RaceWindow next(false);
  Experiment experiment = small_race();
  experiment.race.steps = 25;
  next.show(experiment);
  next.until_it_stands();
  EXPECT_EQ(next.figure("race").lines.back().series->ys, before) << "without a step";
}

TEST(RaceWindow, AButtonLooksIntoItsHeadsAndUndoComesBack) {
  RaceWindow window;
  Experiment experiment = small_race();
  experiment.rope.base = 500;
  experiment.race.also = "rope/linear/base=100/yarn=2";
  experiment.race.running = true;
  window.show(experiment);
  window.until_it_stands();
  window.gui.click(RaceWindow::button_of("race.test_loss.rope"));
  window.until_it_stands();
  const Experiment& looking = window.experiment();
  EXPECT_EQ(looking.view, "attention");
  EXPECT_EQ(looking.attention.encoding, "rope");
  EXPECT_EQ(looking.rope.base, 500);
  EXPECT_EQ(looking.rope.rotary_dim, 16);
  EXPECT_TRUE(looking.attention.causal);
  EXPECT_EQ(window.app->result.fault, "");
  EXPECT_EQ(window.figure("weights").maps.at(0).cells->columns, 32u);
  Experiment all = looking;
  all.attention.show = AttentionShow::energy, all.attention.energy_of = EnergyOf::heads;
  window.show(all);
  window.until_it_stands();
  EXPECT_EQ(window.app->result.fault, "") << "heads and layers of the file";
  window.gui.play("press ctrl+z; press ctrl+z");
  window.until_it_stands();
  EXPECT_EQ(window.experiment(), experiment);
  EXPECT_EQ(window.steps(), 40u);
  window.gui.click(RaceWindow::button_of("race.test_loss.rope-linear-base-100-yarn-2"));
  window.until_it_stands();
  EXPECT_EQ(window.experiment().attention.kind, AttentionKind::linear);
  EXPECT_EQ(window.experiment().rope.base, 100);
  EXPECT_EQ(window.experiment().rope.scaling.method, "yarn");
  EXPECT_EQ(window.experiment().rope.scaling["factor"], 2);
  EXPECT_EQ(window.app->result.fault, "");
}

TEST(RaceWindow, ReadsBeyondTheTrainedLengthOnceItStands) {
  RaceWindow window;
  Experiment experiment = small_race();
  experiment.race.encodings = {"none", "learned", "rope"};
  experiment.race.running = true;
  experiment.race.show = RaceShow::beyond;
  window.show(experiment);
  window.until_it_stands();
  const Figure& figure = window.figure("beyond");
  std::vector<std::string> keys;
  for (const Line& line : figure.lines) keys.push_back(line.key);
  EXPECT_THAT(keys, ElementsAre("none", "learned", "rope", "rope+linear", "rope+ntk-aware", "rope+yarn"));
  EXPECT_GT(figure.lines[0].series->xs.back(), 7 * 32);
  EXPECT_LT(figure.lines[1].series->xs.back(), 32) << "a table ends where its rows end";
  EXPECT_TRUE(std::any_of(figure.rules.begin(), figure.rules.end(),
                          [](const Rule& rule) { return rule.vertical && rule.at == 32; }));
  EXPECT_NE(window.readout("race.past.rope"), "missing");
  EXPECT_TRUE(window.gui.shows(RaceWindow::button_of("race.past.rope")));
}

}  // namespace
}  // namespace ropescope::ui
