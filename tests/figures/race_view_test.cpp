#include "app/views/race/figures.h"
#include "app/views/race/inputs.h"
#include "app/views/view.h"
#include "tests/said.h"
#include "tests/temporary_folder.h"

namespace ropescope {
namespace {

Experiment make_small_race() {
  Experiment experiment;
  experiment.view = "race";
  RaceFields& fields = experiment.race;
  fields.encodings = {"none", "rope"};
  fields.task = RaceTask::copy;
  fields.distance = 3;
  fields.layers = 1, fields.width = 32, fields.heads = 2, fields.length = 32, fields.batch = 2, fields.steps = 40;
  fields.seeds = 2;
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
  const ViewResult result = shown(make_small_race(), store);
  EXPECT_EQ(store.started(), 0);
  ASSERT_EQ(result.panels.size(), 1u);
  EXPECT_THAT(result.panels[0].figure.empty_message, HasSubstr("4 runners"));
  EXPECT_TRUE(result.panels[0].figure.empty_is_hint);
}

TEST(RaceView, DrawsEachEncodingWithItsSeedsAndSaysWhoIsAhead) {
  Store store(Store::Mode::synchronous);
  Experiment experiment = make_small_race();
  experiment.race.running = true;
  const ViewResult result = shown(experiment, store);
  EXPECT_EQ(result.fault, "");
  const Figure& figure = result.panels.at(0).figure;
  std::vector<std::string> keys;
  for (const Line& line : figure.lines) keys.push_back(line.key);
  EXPECT_THAT(
      keys, ElementsAre("none.raw", "none.least", "none.most", "none", "rope.raw", "rope.least", "rope.most", "rope"));
  const std::vector<double>& mean = figure.lines.back().series->ys;
  ASSERT_EQ(mean.size(), 40u);
  for (std::size_t i = 0; i < mean.size(); ++i) {
    EXPECT_LE(figure.lines[5].series->ys[i], mean[i]) << i;
    EXPECT_GE(figure.lines[6].series->ys[i], mean[i]) << i;
  }
  const auto race = race_now(experiment, store).race;
  EXPECT_DOUBLE_EQ(figure.lines[4].series->ys[30],
                   (race->runners[2].curve[30].loss + race->runners[3].curve[30].loss) / 2);
  EXPECT_EQ(figure.paths.size(), 2u) << "the area between the seeds";
  ASSERT_EQ(figure.rules.size(), 2u) << "what the frequencies alone give, and the floor";
  EXPECT_NEAR(figure.rules[0].at, std::log(16), 0.01);
  EXPECT_EQ(figure.rules[1].at, 0);
  ASSERT_EQ(result.readouts.size(), 3u);
  EXPECT_EQ(result.readouts[0].name, "race.ahead");
  EXPECT_THAT(result.readouts[0].note, HasSubstr("2 seeds"));
  EXPECT_THAT(result.status, Says("view.race.status", {{"step", "40"}, {"steps", "40"}}));
}

TEST(RaceView, InTheWindowIsTheSameHoweverItIsCut) {
  Experiment experiment = make_small_race();
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
  Experiment experiment = make_small_race();
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
  ASSERT_EQ(changed->changes.size(), 2u);
  EXPECT_EQ(changed->changes[1].step, 20);
  EXPECT_EQ(changed->changes[1].course.base, 100);
  const std::vector<double> before = losses_of(*first, 0), after = losses_of(*changed, 0);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
  ++experiment.race.attempt;
  const auto anew = finished(experiment, store);
  ASSERT_TRUE(anew);
  ASSERT_EQ(anew->changes.size(), 1u);
  EXPECT_EQ(anew->changes[0].course.base, 100);
  EXPECT_NE(losses_of(*anew, 0), after);
}

std::vector<std::string> runners_of(const Experiment& experiment) {
  std::vector<std::string> keys;
  for (const RaceRunner& runner : race_runners(experiment.race)) keys.push_back(key_of(runner));
  return keys;
}

TEST(RaceRunners, TakePerformersKernel) {
  Experiment experiment = make_small_race();
  experiment.race.encodings = {"rope", "none"};
  experiment.race.attention = RaceAttention::performer;
  experiment.race.also = "rope/linear, rope/performer/base=500000";
  EXPECT_THAT(runners_of(experiment),
              ElementsAre("rope/performer", "none/performer", "rope/linear", "rope/performer/base=500000"));
  const std::vector<RunnerSpec> specs = runner_specs(race_start(experiment), race_course(experiment));
  for (std::size_t i = 0; i < specs.size(); ++i) {
    EXPECT_TRUE(specs[i].linear_attention);
    EXPECT_EQ(specs[i].random_features, i / 2 != 2) << "two seeds of each";
  }
  EXPECT_EQ(name_of(specs[0]), "rope/performer");
}

TEST(RaceRunners, DifferInEncodingKindBaseAndExtension) {
  Experiment experiment = make_small_race();
  experiment.race.encodings = {"rope", "alibi"};
  experiment.race.attention = RaceAttention::both;
  experiment.race.also = "rope/base=500000, rope / linear/yarn=4,none";
  EXPECT_THAT(runners_of(experiment),
              ElementsAre("rope", "rope/linear", "alibi", "rope/base=500000", "rope/linear/yarn=4", "none"));
  const std::vector<RunnerSpec> specs = runner_specs(race_start(experiment), race_course(experiment));
  ASSERT_EQ(specs.size(), 12u) << "two seeds of each";
  EXPECT_EQ(specs[6].settings.base, 500000);
  EXPECT_FALSE(specs[6].settings.ladder) << "a plain ladder is said by its base";
  EXPECT_TRUE(specs[8].linear_attention);
  ASSERT_TRUE(specs[8].settings.ladder);
  EXPECT_EQ(specs[8].settings.ladder->frequencies.size(), 8u) << "pairs of a head of 16 channels";
  EXPECT_EQ(specs[8].settings.base, 10000);
}

TEST(RaceRunners, TakeTheRopeOfTheExperimentUnlessTheyHaveTheirOwn) {
  Experiment experiment = make_small_race();
  experiment.race.encodings = {"rope"};
  experiment.race.also = "rope/none, rope/base=100";
  experiment.rope.scaling.method = "linear";
  experiment.rope.scaling["factor"] = 4;
  experiment.rope.base = 5000;
  const std::vector<RunnerSpec> specs = runner_specs(race_start(experiment), race_course(experiment));
  ASSERT_TRUE(specs[0].settings.ladder);
  EXPECT_EQ(specs[0].settings.ladder->frequencies[0], 0.25);
  EXPECT_FALSE(specs[2].settings.ladder);
  EXPECT_EQ(specs[2].settings.base, 5000);
  ASSERT_TRUE(specs[4].settings.ladder) << "base 100, extended as the rope is";
}

TEST(RaceRunners, ThePresentRopeIsAddedAsItIsNow) {
  RaceFields fields;
  RopeFields rope;
  rope.base = 500000;
  EXPECT_EQ(add_current_rope(fields, rope), "rope/base=500000");
  fields.also = "none/linear", fields.attention = RaceAttention::linear;
  rope.scaling.method = "yarn";
  rope.scaling["factor"] = 8;
  EXPECT_EQ(add_current_rope(fields, rope), "none/linear, rope/linear/base=500000/yarn=8");
  rope.scaling["beta_fast"] = 64;
  EXPECT_EQ(add_current_rope(fields, rope), std::nullopt) << "an entry says no more than the factor";
}

TEST(RaceRunners, SayWhatIsWrongWithThem) {
  Store store(Store::Mode::synchronous);
  Experiment experiment = make_small_race();
  const auto fault = [&](const std::string& also) {
    experiment.race.also = also;
    return shown(experiment, store).fault;
  };
  EXPECT_EQ(fault(" , "), "") << "nothing between commas is no runner";
  EXPECT_THAT(fault("rope/base=1"), AllOf(HasSubstr("rope/base=1"), HasSubstr("base=NUMBER")));
  EXPECT_THAT(fault("rope/longrope=4"), HasSubstr("longrope=4")) << "it needs lists";
  EXPECT_THAT(fault("rope/linear=0.5"), HasSubstr("linear=0.5"));
  EXPECT_THAT(fault("alibi/base=100"), HasSubstr("ALiBi"));
  EXPECT_THAT(fault("sinusoidal/yarn=2"), HasSubstr("context extension"));
  EXPECT_THAT(fault("rape"), HasSubstr("rape"));
  EXPECT_THAT(fault("rope"), HasSubstr("twice"));
  EXPECT_THAT(fault("shaw"), Says("error.training.refused", {{"encoding", "shaw"}}));
  EXPECT_THAT(fault("t5, kerple, alibi, xpos, sandwich"), HasSubstr("7 runners"));
}

TEST(RaceView, AnotherExtensionOnTheWayIsMarked) {
  Experiment experiment = make_small_race();
  experiment.race.encodings = {"rope"};
  experiment.race.seeds = 1;
  experiment.race.running = true;
  experiment.race.steps = 10;
  Store store(Store::Mode::asynchronous);
  ASSERT_TRUE(finished(experiment, store));
  experiment.rope.scaling.method = "linear";
  experiment.rope.scaling["factor"] = 8;
  experiment.race.steps = 20;
  ASSERT_TRUE(finished(experiment, store));
  store.begin_pass();
  const ViewResult result = shown(experiment, store);
  store.end_pass();
  const auto& rules = result.panels.at(0).figure.rules;
  const auto marked = std::find_if(rules.begin(), rules.end(), [](const Rule& rule) { return rule.vertical; });
  ASSERT_NE(marked, rules.end());
  EXPECT_EQ(marked->at, 10);
  EXPECT_THAT(marked->label, HasSubstr("linear ×8"));
}

TEST(RaceView, LanesOfOneEncodingHaveColoursOfTheirOwn) {
  Store store(Store::Mode::synchronous);
  Experiment experiment = make_small_race();
  experiment.race.encodings = {"rope"};
  experiment.race.also = "rope/base=100,rope/base=1000,rope/linear,p-rope,none";
  experiment.race.seeds = 1, experiment.race.steps = 20;
  experiment.race.running = true;
  const ViewResult result = shown(experiment, store);
  ASSERT_EQ(result.fault, "");
  std::set<int> slots, colours;
  std::set<std::string> labels;
  for (const Line& line : result.panels.at(0).figure.lines) {
    if (!line.in_legend) continue;
    slots.insert(line.style.slot);
    colours.insert(line.style.slot % 5);
    labels.insert(line.label);
  }
  EXPECT_EQ(slots.size(), 6u);
  EXPECT_EQ(colours.size(), 5u);
  EXPECT_EQ(labels.size(), 6u);
  EXPECT_TRUE(labels.contains("RoPE, base 100"));
  EXPECT_TRUE(labels.contains("RoPE, linear attention"));
  EXPECT_EQ(result.readouts.size(), 7u);
  experiment.race.encodings = {"none", "sinusoidal", "rope"};
  experiment.race.also.clear();
  const ViewResult usual = shown(experiment, store);
  colours.clear();
  for (const Line& line : usual.panels.at(0).figure.lines) {
    colours.insert(line.style.slot % 5);
    if (line.key == "rope") EXPECT_EQ(line.style.slot, find_encoding("rope").slot) << "its own, as in other views";
  }
  EXPECT_EQ(colours.size(), 3u);
}

TEST(RaceView, ARunnerThatStopsIsMarkedAndTheOthersGoOn) {
  Store store(Store::Mode::synchronous);
  Experiment experiment = make_small_race();
  experiment.race.seeds = 1;
  experiment.race.running = true;
  Race race = *race_now(experiment, store).race;
  race.runners[0].fault = RunnerError{31, false};
  race.runners[0].curve.resize(30);
  static const Text english = Text::load(source_folder() + "/assets");
  const std::vector<RaceLane> lanes = lanes_of(race, english);
  const Figure figure = race_figure(experiment, race, lanes, english);
  ASSERT_EQ(figure.points.size(), 1u);
  EXPECT_EQ(figure.points[0].xs, std::vector<double>{30});
  EXPECT_THAT(figure.points[0].names.at(0), HasSubstr("31"));
  const std::vector<Readout> cards = race_readouts(race, lanes, {}, english);
  ASSERT_EQ(cards.size(), 2u) << "who stopped is in no ranking";
  EXPECT_THAT(cards[0].note, Says("readout.race.ahead.alone"));
}

TEST(RaceView, WhatItLearnsMayBeMasked) {
  Store store(Store::Mode::synchronous);
  Experiment experiment = make_small_race();
  experiment.race.task = RaceTask::text, experiment.race.objective = RaceObjective::masked;
  experiment.race.seeds = 1, experiment.race.steps = 20, experiment.race.running = true;
  const ViewResult result = shown(experiment, store);
  EXPECT_EQ(result.fault, "");
  EXPECT_THAT(result.panels.at(0).figure.title, HasSubstr("masked"));
  EXPECT_TRUE(race_now(experiment, store).race->setup->task.masked);
  experiment.race.encodings = {"xpos"};
  EXPECT_THAT(shown(experiment, store).fault, Says("training.refused.causal"))
      << "xPos grows where later bytes are seen";
}

TEST(RaceView, MemoryIsSaidForAllThatIsHeld) {
  const Experiment experiment = make_small_race();
  const RaceStart start = race_start(experiment);
  const double said = race_bytes(start, race_course(experiment));
  Store store(Store::Mode::synchronous);
  Experiment running = experiment;
  running.race.running = true;
  const auto race = race_now(running, store).race;
  // As it was, as it is, as it was read and as it is written, and one runner at work.
  EXPECT_GE(said, 4.0 * static_cast<double>(race->bytes()) * 0.99);
  EXPECT_LT(said, 4.0 * static_cast<double>(race->bytes()) + (16 << 20));
}

TEST(RaceView, CountsAsFarAsTheFieldGoes) {
  Store store(Store::Mode::synchronous);
  Experiment experiment = make_small_race();
  experiment.race.task = RaceTask::count, experiment.race.modulus = 1e6;
  experiment.race.steps = 10, experiment.race.running = true;
  clamp(experiment);
  EXPECT_EQ(shown(experiment, store).fault, "");
}

TEST(RaceView, ReadsAsFarBeyondAsTheTextGoes) {
  const TemporaryFolder folder;
  const std::string path = (folder.path / "short.txt").string();
  std::string words;
  for (int i = 0; words.size() < 1000; ++i) words += "word " + std::to_string(i * i) + " ";
  std::ofstream(path) << words;  // the last tenth has 100 bytes: three times 32 and not four
  Store store(Store::Mode::synchronous);
  Experiment experiment = make_small_race();
  experiment.race.task = RaceTask::text, experiment.race.file = path;
  experiment.race.steps = 20, experiment.race.running = true;
  experiment.race.show = RaceShow::beyond, experiment.race.extensions = {"linear"};
  const ViewResult result = shown(experiment, store);
  ASSERT_EQ(result.fault, "");
  const Figure& figure = result.panels.at(0).figure;
  ASSERT_EQ(figure.lines.size(), 3u);
  EXPECT_EQ(figure.lines[0].key, "none");
  EXPECT_EQ(figure.lines[2].label, "RoPE, linear ×3");
  EXPECT_NEAR(figure.lines[2].series->xs.back(), 95, 5);
  for (const Line& line : figure.lines) {
    for (const double loss : line.series->ys) EXPECT_TRUE(std::isfinite(loss) && loss > 0) << line.key;
  }
  EXPECT_EQ(figure.lines[1].style.slot % 5, figure.lines[2].style.slot % 5) << "a runner keeps its colour";
  EXPECT_NE(figure.lines[1].style.slot, figure.lines[2].style.slot);
  EXPECT_EQ(result.readouts.size(), 2u);
}

TEST(RaceView, SaysWhatCannotRun) {
  Store store(Store::Mode::synchronous);
  Experiment experiment = make_small_race();
  experiment.race.encodings = {"rope", "alibi"};
  experiment.race.attention = RaceAttention::linear;
  EXPECT_NE(shown(experiment, store).fault, "");
  experiment = make_small_race();
  experiment.race.encodings.clear();
  EXPECT_THAT(shown(experiment, store).fault, Says("error.training.no_runner"));
  experiment = make_small_race();
  experiment.race.task = RaceTask::text;
  experiment.race.file = "nowhere.txt";
  experiment.race.running = true;
  EXPECT_THAT(shown(experiment, store).fault, HasSubstr("nowhere.txt"));
  for (const Encoding& encoding : all_encodings()) {
    experiment = make_small_race();
    experiment.race.encodings = {std::string(encoding.name)};
    Experiment clamped = experiment;
    clamp(clamped);
    const bool offered = !clamped.race.encodings.empty();
    EXPECT_EQ(shown(experiment, store).fault.empty(), offered) << encoding.name << ": all that can run are offered";
  }
}

}  // namespace
}  // namespace ropescope
