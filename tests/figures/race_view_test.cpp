#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/views/race/inputs.h"
#include "app/views/view.h"
#include "core/error.h"
#include "tests/places.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using testing::HasSubstr;

Experiment small_race() {
  Experiment experiment;
  experiment.view = "race";
  RaceKnobs& knobs = experiment.race;
  knobs.encodings = {"none", "rope"};
  knobs.task = "copy";
  knobs.distance = 3;
  knobs.layers = 1, knobs.width = 32, knobs.heads = 2, knobs.length = 32, knobs.batch = 2, knobs.steps = 40;
  knobs.seeds = 2;
  return experiment;
}

ViewResult shown(const Experiment& experiment, Store& store) {
  static const Text english = Text::load(source_folder() + "/assets");
  return draw_view(find_view("race"), experiment, english, store);
}

/// Passes of a window until the race stands.
std::shared_ptr<const Race> finished(const Experiment& experiment, Store& store) {
  for (int pass = 0; pass < 1000; ++pass) {
    store.begin_pass();
    const RaceNow now = race_now(experiment, store);
    store.end_pass();
    if (!now.goes_on) return now.race;
    store.wait();
  }
  ADD_FAILURE() << "it does not end";
  return nullptr;
}

std::vector<double> losses_of(const Race& race, std::size_t runner) {
  std::vector<double> losses;
  for (const RacePoint& point : race.runners[runner].curve) losses.push_back(point.loss);
  return losses;
}

TEST(RaceView, StandsUntilItIsStarted) {
  Store store(Store::Mode::synchronous);
  const ViewResult result = shown(small_race(), store);
  EXPECT_EQ(store.started(), 0);
  ASSERT_EQ(result.panels.size(), 1u);
  EXPECT_THAT(result.panels[0].figure.empty_message, HasSubstr("4 runners"));
  EXPECT_TRUE(result.panels[0].figure.empty_is_hint);
}

TEST(RaceView, DrawsEachEncodingWithItsSeedsAndSaysWhoIsAhead) {
  Store store(Store::Mode::synchronous);
  Experiment experiment = small_race();
  experiment.race.running = true;
  const ViewResult result = shown(experiment, store);
  EXPECT_EQ(result.fault, "");
  const Figure& figure = result.panels.at(0).figure;
  std::vector<std::string> keys;
  for (const Line& line : figure.lines) keys.push_back(line.key);
  EXPECT_THAT(keys, testing::ElementsAre("none.raw", "none.most", "none", "rope.raw", "rope.most", "rope"));
  EXPECT_EQ(figure.lines.back().series->ys.size(), 40u);
  ASSERT_EQ(figure.rules.size(), 2u) << "what the frequencies alone give, and the floor";
  EXPECT_NEAR(figure.rules[0].at, std::log(16), 0.01);
  EXPECT_EQ(figure.rules[1].at, 0);
  ASSERT_EQ(result.readouts.size(), 3u);
  EXPECT_EQ(result.readouts[0].name, "race.ahead");
  EXPECT_THAT(result.readouts[0].note, HasSubstr("2 seeds"));
  EXPECT_THAT(result.status, HasSubstr("step 40 of 40"));
}

TEST(RaceView, InTheWindowIsTheSameHoweverItIsCut) {
  Experiment experiment = small_race();
  experiment.race.running = true;
  Store at_once(Store::Mode::synchronous, 1), window(Store::Mode::asynchronous);
  const auto whole = race_now(experiment, at_once).race;
  ASSERT_TRUE(whole);
  experiment.race.running = false;
  const auto standing = finished(experiment, window);
  EXPECT_EQ(standing, nullptr);
  experiment.race.single_steps = 1;
  const auto one = finished(experiment, window);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->step, 1);
  experiment.race.running = true;
  const auto all = finished(experiment, window);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->step, 40);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(losses_of(*all, i), losses_of(*whole, i)) << i;
}

TEST(RaceView, TakesAnotherBaseOnTheWayAndBeginsAnewWhereItIsTold) {
  Experiment experiment = small_race();
  experiment.race.encodings = {"rope"};
  experiment.race.seeds = 1;
  experiment.race.running = true;
  experiment.race.steps = 20;
  Store store(Store::Mode::asynchronous);
  const auto first = finished(experiment, store);
  experiment.rope.base = 100;
  experiment.race.steps = 30;
  const auto changed = finished(experiment, store);
  ASSERT_TRUE(first && changed);
  EXPECT_EQ(changed->step, 30);
  ASSERT_EQ(changed->bases.size(), 2u);
  EXPECT_EQ(changed->bases[1].step, 20);
  EXPECT_EQ(changed->bases[1].base, 100);
  const std::vector<double> before = losses_of(*first, 0), after = losses_of(*changed, 0);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
  ++experiment.race.attempt;
  const auto anew = finished(experiment, store);
  ASSERT_TRUE(anew);
  ASSERT_EQ(anew->bases.size(), 1u);
  EXPECT_EQ(anew->bases[0].base, 100);
  EXPECT_NE(losses_of(*anew, 0), after);
}

TEST(RaceView, SaysWhatCannotRun) {
  Store store(Store::Mode::synchronous);
  Experiment experiment = small_race();
  experiment.race.encodings = {"rope", "alibi"};
  experiment.race.attention = "linear";
  EXPECT_NE(shown(experiment, store).fault, "");
  experiment = small_race();
  experiment.race.encodings.clear();
  EXPECT_THAT(shown(experiment, store).fault, HasSubstr("no encoding is chosen"));
  experiment = small_race();
  experiment.race.task = "text";
  experiment.race.file = "nowhere.txt";
  experiment.race.running = true;
  EXPECT_THAT(shown(experiment, store).fault, HasSubstr("nowhere.txt"));
  for (const Encoding& encoding : all_encodings()) {
    experiment = small_race();
    experiment.race.encodings = {std::string(encoding.name)};
    Experiment clamped = experiment;
    clamp(clamped);
    const bool offered = !clamped.race.encodings.empty();
    EXPECT_EQ(shown(experiment, store).fault.empty(), offered) << encoding.name << ": all that can run are offered";
  }
}

}  // namespace
}  // namespace ropescope
