#include "app/views/race/inputs.h"

#include <algorithm>
#include <cmath>

#include "app/resources/files.h"
#include "app/resources/own_text.h"
#include "core/decay/share_work.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// Of computing between two pictures.
constexpr double kSecondsShown = 0.3;
constexpr int kTestEvery = 20;
constexpr std::uint64_t kLargestText = std::uint64_t{64} << 20;

int whole(double number) {
  return static_cast<int>(number);
}

Task task_of(const RaceStart& start) {
  const RaceKnobs& knobs = start.knobs;
  const int length = whole(knobs.length);
  if (knobs.task == "copy") return make_task("copy:" + std::to_string(whole(knobs.distance)), length);
  if (knobs.task == "count") return make_task("count:" + std::to_string(whole(knobs.modulus)), length);
  if (knobs.task != "text") return make_task(knobs.task, length);
  if (knobs.file.empty()) return text_task("text", own_text(find_places().assets), length, false);
  return text_task(knobs.file, read_file(knobs.file, kLargestText), length, false);
}

/// All runners at their beginning.
std::shared_ptr<Race> beginning(const RaceStart& start, double base) {
  auto race = std::make_shared<Race>();
  race->start = start;
  race->setup = std::make_shared<const RaceSetup>(race_setup(start));
  race->specs = race_runners(start, base);
  return race;
}

}  // namespace

RaceSetup race_setup(const RaceStart& start) {
  const RaceKnobs& knobs = start.knobs;
  RaceSetup setup;
  setup.layers = whole(knobs.layers);
  setup.width = whole(knobs.width);
  setup.heads = whole(knobs.heads);
  setup.length = whole(knobs.length);
  setup.training.batch = whole(knobs.batch);
  setup.training.rate = knobs.learning_rate;
  setup.every = 1;
  setup.test_every = kTestEvery;
  setup.task = task_of(start);
  return setup;
}

std::vector<RunnerSpec> race_runners(const RaceStart& start, double base) {
  std::vector<RunnerSpec> runners;
  RunnerSpec spec;
  spec.linear_attention = start.knobs.attention == "linear";
  spec.settings.base = base;
  for (const std::string& encoding : start.knobs.encodings) {
    spec.encoding = encoding;
    for (int seed = 1; seed <= whole(start.knobs.seeds); ++seed) {
      spec.seed = static_cast<std::uint64_t>(seed);
      runners.push_back(spec);
    }
  }
  return runners;
}

RaceStart race_start(const Experiment& experiment) {
  RaceStart start{experiment.race, {}};
  RaceKnobs& knobs = start.knobs;
  // What changes nothing that is computed, or may change on the way.
  const RaceKnobs initial;
  knobs.steps = initial.steps, knobs.smoothing = initial.smoothing, knobs.over = initial.over;
  knobs.running = initial.running, knobs.single_steps = initial.single_steps;
  knobs.way_range.reset(), knobs.loss_range.reset();
  if (knobs.task == "text" && !knobs.file.empty()) start.file = stamp_of(knobs.file);
  if (knobs.encodings.empty()) throw InputError("training.no_runner", {});
  ModelShape shape;
  shape.layers = whole(knobs.layers), shape.width = whole(knobs.width), shape.heads = whole(knobs.heads);
  shape.length = whole(knobs.length), shape.linear_attention = knobs.attention == "linear";
  validate(shape);
  for (const RunnerSpec& spec : race_runners(start, experiment.rope.base)) {
    position_tables(find_encoding(spec.encoding), spec.settings, shape, shape.length);  // refuses what cannot be
  }
  return start;
}

std::size_t Race::bytes() const {
  std::size_t sum = 0;
  for (const RunnerState& runner : runners) {
    sum += runner.cells.size() * sizeof(float) + runner.curve.size() * sizeof(RacePoint);
  }
  return sum;
}

double Race::seconds_per_step() const {
  double seconds = 0;
  for (const RunnerState& runner : runners) {
    seconds += runner.steps > 0 ? runner.seconds / static_cast<double>(runner.steps) : 0;
  }
  return seconds;
}

std::shared_ptr<const Race> RaceInput::compute(int threads, const std::stop_token& stop) const {
  const bool goes_on = from && from->start == start;
  const auto race = goes_on ? std::make_shared<Race>(*from) : beginning(start, base);
  if (race->bases.empty() || race->bases.back().base != base) race->bases.push_back({race->step, base});
  // One core is left to the window.
  const int workers = threads > 0 ? threads : std::max(1, worker_count(0) - 1);
  const bool begins = race->runners.empty();
  for (std::size_t i = 0; i < race->specs.size(); ++i) {
    race->specs[i].settings.base = base;
    Runner runner(*race->setup, race->specs[i], workers);
    if (!begins) runner.restore(race->runners[i]);
    while (runner.steps() < until && runner.advance(stop)) {
    }
    if (stop.stop_requested()) return nullptr;
    if (begins) {
      race->runners.push_back(runner.state());
    } else {
      race->runners[i] = runner.state();
    }
  }
  race->step = std::max(race->step, until);
  race->single_steps = single_steps;
  return race;
}

RaceNow race_now(const Experiment& experiment, Store& store) {
  const RaceKnobs& knobs = experiment.race;
  RaceInput input{race_start(experiment), experiment.rope.base, 0, knobs.single_steps, store.last<RaceInput>("race")};
  if (input.from && input.from->start != input.start) input.from = nullptr;
  const std::int64_t steps = whole(knobs.steps), step = input.from ? input.from->step : 0;
  const bool single = knobs.single_steps > (input.from ? input.from->single_steps : 0);
  RaceNow now{input.from, false};
  if ((!knobs.running && !single) || step >= steps) return now;
  if (single && !knobs.running) {
    input.until = step + 1;
  } else if (store.at_once()) {
    input.until = steps;
  } else {
    const double pace = input.from ? input.from->seconds_per_step() : 0;
    const double more = pace > 0 ? kSecondsShown / pace : 1;
    input.until = std::min(steps, step + static_cast<std::int64_t>(std::clamp(more, 1.0, 1e6)));
  }
  const auto answer = store.get("race", input);
  if (answer.current) now.race = answer.result;
  now.goes_on = !answer.current || now.race->step < steps;
  return now;
}

}  // namespace ropescope
