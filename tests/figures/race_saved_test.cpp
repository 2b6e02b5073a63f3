// A race of the window is saved: after a kill it continues exactly where it was.

#include "app/resources/files.h"
#include "app/views/race/figures.h"
#include "app/views/race/inputs.h"
#include "tests/figures/view_parts.h"
#include "tests/temporary_folder.h"

namespace ropescope {
namespace {

Experiment make_saved_race(double steps) {
  Experiment experiment;
  experiment.view = "race";
  RaceFields& fields = experiment.race;
  fields.encodings = {"none", "rope"};
  fields.also = "rope/linear/base=100";
  fields.task = RaceTask::copy, fields.distance = 3;
  fields.layers = 1, fields.width = 32, fields.heads = 2, fields.length = 32, fields.batch = 2;
  fields.steps = steps;
  fields.running = true;
  return experiment;
}

/// A window: what it has not saved is gone with it, as after a kill.
struct RaceWindow {
  explicit RaceWindow(const fs::path& folder) : shelf(std::make_shared<ResultCache>(folder)) { store.keep_on(shelf); }
  RaceNow until_it_stands(const Experiment& experiment) {
    for (int pass = 0; pass < 1000; ++pass) {
      store.begin_pass();
      const RaceNow now = race_now(experiment, store);
      store.end_pass();
      if (!now.goes_on && !now.waits) return now;
      store.wait();
    }
    ADD_FAILURE() << "it does not stand";
    return {};
  }
  std::shared_ptr<ResultCache> shelf;
  Store store{Store::Mode::asynchronous};
};

void expect_same(const Race& race, const Race& other) {
  EXPECT_EQ(race.step, other.step);
  ASSERT_EQ(race.runners.size(), other.runners.size());
  for (std::size_t i = 0; i < race.runners.size(); ++i) {
    const RunnerState &one = race.runners[i], &two = other.runners[i];
    EXPECT_EQ(one.cells, two.cells) << i;
    ASSERT_EQ(one.curve.size(), two.curve.size()) << i;
    for (std::size_t at = 0; at < one.curve.size(); ++at) {
      EXPECT_EQ(one.curve[at].loss, two.curve[at].loss) << i << " " << at;
      EXPECT_EQ(one.curve[at].test_loss, two.curve[at].test_loss) << i << " " << at;
    }
  }
}

TEST(SavedRace, GoesOnToTheBitWhereAWindowWasKilled) {
  const TemporaryFolder folder;
  Experiment experiment = make_saved_race(25);
  {
    RaceWindow killed(folder.path);
    const RaceNow now = killed.until_it_stands(experiment);
    ASSERT_TRUE(now.race);
    EXPECT_EQ(now.kept.step, 25) << "what stands is saved";
  }
  experiment.race.steps = 60;
  experiment.rope.base = 500;
  RaceWindow next(folder.path);
  const RaceNow found = next.until_it_stands(experiment);
  ASSERT_TRUE(found.race);
  EXPECT_EQ(found.race->step, 60);
  ASSERT_EQ(found.race->changes.size(), 2u) << "the base was another one until step 25";
  EXPECT_EQ(found.race->changes[1].step, 25);

  const TemporaryFolder elsewhere;
  RaceWindow never_killed(elsewhere.path);
  Experiment same = make_saved_race(25);
  never_killed.until_it_stands(same);
  same.race.steps = 60;
  same.rope.base = 500;
  const RaceNow whole = never_killed.until_it_stands(same);
  ASSERT_TRUE(whole.race);
  expect_same(*found.race, *whole.race);
}

TEST(SavedRace, IsShownWhereItStandsWithoutAStep) {
  const TemporaryFolder folder;
  Experiment experiment = make_saved_race(40);
  experiment.race.running = false;
  experiment.race.single_steps = 1;
  { RaceWindow(folder.path).until_it_stands(experiment); }
  RaceWindow next(folder.path);
  const RaceNow now = next.until_it_stands(experiment);
  ASSERT_TRUE(now.race);
  EXPECT_EQ(now.race->step, 1) << "the step that was asked for has been done";
  EXPECT_EQ(now.kept.step, 1);
}

TEST(SavedRace, AnotherRaceBeginsAnewAndTheFirstComesBack) {
  const TemporaryFolder folder;
  const Experiment first = make_saved_race(20);
  Experiment other = first;
  other.race.learning_rate = 0.01;
  RaceWindow window(folder.path);
  const auto before = window.until_it_stands(first).race;
  const std::int64_t started = window.store.started();
  const auto second = window.until_it_stands(other).race;
  ASSERT_TRUE(before && second);
  EXPECT_NE(second->runners[0].cells, before->runners[0].cells);
  EXPECT_GT(window.store.started(), started);
  const auto again = window.until_it_stands(first).race;  // undo
  ASSERT_TRUE(again);
  expect_same(*again, *before);
}

TEST(SavedRace, ADamagedFileIsNamedAndNotTrusted) {
  const TemporaryFolder folder;
  const Experiment experiment = make_saved_race(20);
  fs::path file;
  {
    RaceWindow window(folder.path);
    window.until_it_stands(experiment);
    file = window.shelf->place(name_saved_race(race_start(experiment)));
  }
  const std::string good = read_file(file);
  for (const std::size_t at : {std::size_t{3}, std::size_t{30}, good.size() / 2, good.size() - 1}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    std::ofstream(file, std::ios::binary) << bad;
    Experiment standing = experiment;
    standing.race.running = false;
    RaceWindow window(folder.path);
    const RaceNow now = window.until_it_stands(standing);
    EXPECT_EQ(now.race, nullptr) << at;
    static const Text english = Text::load(source_folder() + "/assets");
    EXPECT_THAT(english.render(now.found), HasSubstr(file.filename().string())) << at;
    const RaceNow anew = window.until_it_stands(experiment);
    ASSERT_TRUE(anew.race);
    EXPECT_EQ(anew.race->step, 20);
    EXPECT_EQ(anew.found, now.found) << "it is said on";
  }
  std::ofstream(file, std::ios::binary) << good.substr(0, good.size() / 2);
  Experiment standing = experiment;
  standing.race.running = false;
  RaceWindow cut(folder.path);
  const RaceNow now = cut.until_it_stands(standing);
  EXPECT_EQ(now.race, nullptr);
  EXPECT_FALSE(now.found.empty());
}

TEST(SavedRace, AnotherWindowsRaceIsNotReplaced) {
  const TemporaryFolder folder;
  const Experiment experiment = make_saved_race(20);
  RaceWindow first(folder.path);
  first.until_it_stands(experiment);
  const fs::path file = first.shelf->place(name_saved_race(race_start(experiment)));
  const std::string bytes = read_file(file);
  Experiment longer = experiment;
  longer.race.steps = 40;
  RaceWindow second(folder.path);
  const RaceNow now = second.until_it_stands(longer);
  ASSERT_TRUE(now.race);
  EXPECT_EQ(now.kept.step, 40);
  EXPECT_EQ(read_file(file), bytes);
}

TEST(SavedRace, WhereNothingCanBeWrittenItRacesAndSaysSo) {
  const TemporaryFolder folder;
  const fs::path place = folder.path / "a file";
  std::ofstream(place) << "in the way";
  RaceWindow window(place);
  const RaceNow now = window.until_it_stands(make_saved_race(20));
  ASSERT_TRUE(now.race);
  EXPECT_EQ(now.race->step, 20);
  EXPECT_FALSE(now.kept.fault.empty());
}

InsideInput inside_of(const std::shared_ptr<const Race>& race, std::size_t lane,
                      const std::shared_ptr<ResultCache>& shelf) {
  return {RaceMoment(race), lane, shelf};
}

TEST(RaceInside, HasTheRopeThatTheRaceWasTrainedWith) {
  const TemporaryFolder folder;
  RaceWindow window(folder.path);
  Experiment experiment = make_saved_race(10);
  experiment.rope.base = 0.1 + 500;
  experiment.rope.scaling.method = "linear";
  const RaceNow now = window.until_it_stands(experiment);
  ASSERT_TRUE(now.race);
  const std::string key = inside_key(now.race->start.runners[1], now.race->changes.back().course, "a:b.safetensors");
  experiment.rope.base = 9000;
  experiment.rope.scaling.method = "yarn";
  EXPECT_EQ(window.until_it_stands(experiment).race, now.race) << "a finished race takes no other rope";
  ASSERT_TRUE(inspect_heads(experiment, key));
  EXPECT_EQ(experiment.rope.base, 0.1 + 500);
  EXPECT_EQ(experiment.rope.scaling.method, "linear");
  EXPECT_EQ(experiment.attention.file, "a:b.safetensors");
}

TEST(RaceInside, FilesOfLaterStepsPushNoRaceOut) {
  const TemporaryFolder folder;
  RaceWindow window(folder.path);
  std::set<std::string> paths;
  for (const double steps : {10, 20, 30}) {
    const RaceNow now = window.until_it_stands(make_saved_race(steps));
    ASSERT_TRUE(now.race);
    paths.insert(*computed<inside_file>(inside_of(now.race, 1, window.shelf), {1}));
  }
  ASSERT_EQ(paths.size(), 1u) << "one file of a runner, whatever the step";
  EXPECT_NE(fs::path(*paths.begin()).parent_path(), folder.path);
}

TEST(RaceInside, ARequestKeepsItsRaceUntilItIsComputed) {
  const TemporaryFolder folder;
  RaceWindow window(folder.path);
  std::shared_ptr<const Race> race = std::make_shared<Race>(*window.until_it_stands(make_saved_race(10)).race);
  const InsideInput inside = inside_of(race, 1, window.shelf);
  const BeyondInput beyond{RaceMoment(race), 1, "none"};
  const std::weak_ptr<const Race> alive = race;
  race = nullptr;
  EXPECT_NE(*computed<inside_file>(inside, {1}), "");
  EXPECT_FALSE(computed<beyond_curve>(beyond, {1})->positions.empty());
  EXPECT_TRUE(alive.expired()) << "what is remembered keeps none";
}

TEST(SavedRace, IsKnownByATextThatIsReadThroughOnce) {
  const TemporaryFolder folder;
  RaceWindow window(folder.path);
  const RaceNow now = window.until_it_stands(make_saved_race(10));
  EXPECT_EQ(now.race->digits, race_digits(now.race->start, *now.race->setup));
}

/// A race that would take for ever is asked to stop while it computes; the time that this took is in the test's record
/// (--gtest_output=xml).
void expect_stopped(RaceFields fields, const std::string& record) {
  Experiment experiment = make_saved_race(20'000);
  experiment.race = std::move(fields);
  RaceInput input{race_start(experiment), race_course(experiment), 1'000'000, 0, nullptr, nullptr, {}};
  std::stop_source stop;
  std::atomic<bool> begun = false;
  std::shared_ptr<const Race> result = std::make_shared<Race>();
  std::chrono::steady_clock::time_point ended;
  {
    std::jthread worker([&] {
      begun = true;
      result = computed<race_until>(input, {1, stop.get_token()});
      ended = std::chrono::steady_clock::now();
    });
    while (!begun) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    stop.request_stop();
    const auto asked = std::chrono::steady_clock::now();
    worker.join();
    const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(ended - asked);
    testing::Test::RecordProperty(record, static_cast<int>(waited.count()));
  }
  EXPECT_EQ(result, nullptr);
}

TEST(RaceStops, WhileItComputes) {
  expect_stopped(make_saved_race(20'000).race, "small_milliseconds");
  RaceFields usual;
  expect_stopped(usual, "usual_milliseconds");
}

}  // namespace
}  // namespace ropescope
