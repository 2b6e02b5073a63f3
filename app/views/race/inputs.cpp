// Starts, continues and saves races, and reads saved ones.
//
// Contents: Saved; Computed.

#include "app/views/race/inputs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/experiment/fields.h"
#include "app/resources/files.h"
#include "app/resources/system.h"
#include "app/resources/text.h"
#include "core/encodings/encoding.h"
#include "core/formats/nlohmann.h"
#include "core/message.h"
#include "core/parallel.h"
#include "core/scaling/scaling.h"
#include "core/training/parameters.h"

namespace ropescope {

// --- Saved ---------------------------------------------------------------------------------------------------------

// A saved race: a first line; a second line with the race's identity and its ropes over time; the states of the
// runners, whose checksum also covers that line.

namespace {

using SavedClock = std::chrono::steady_clock;
using nlohmann::json;

constexpr std::string_view kFirstLine = "ropescope-window-race-1\n";
/// A race is saved at most once in this interval, and for at most a twentieth of the time.
constexpr auto kShownRaceSaveInterval = std::chrono::seconds(3);
constexpr int kSaveTimeDivisor = 20;

std::string start_text(const RaceStart& start) {
  nlohmann::ordered_json root = nlohmann::ordered_json::object();
  write_json(root, fields_of(start.fields));
  std::string text = root.dump();
  for (const RaceRunner& runner : start.runners) text += "\n" + key_of(runner);
  if (!start.file.path.empty()) text += "\n" + std::to_string(start.file.size) + " " + std::to_string(start.file.time);
  return text;
}

json json_of(const RaceCourse& course) {
  const Extension& extension = course.extension;
  return {
      {"base", course.base}, {"method", extension.method}, {"numbers", extension.numbers}, {"lists", extension.lists}};
}
RaceCourse read_course(const json& from) {
  RaceCourse course;
  course.base = from.at("base");
  course.extension.method = from.at("method");
  course.extension.numbers = from.at("numbers").get<std::map<std::string, double>>();
  course.extension.lists = from.at("lists").get<std::map<std::string, std::vector<double>>>();
  return course;
}
json json_of(const CourseChange& change) {
  json line = json_of(change.course);
  line["step"] = change.step;
  return line;
}

std::string second_line(const Race& race) {
  json line = {
      {"race", race.digits}, {"step", race.step}, {"single_steps", race.single_steps}, {"changes", json::array()}};
  for (const CourseChange& change : race.changes) line["changes"].push_back(json_of(change));
  return line.dump() + "\n";
}

/// Restores the bytes into a race at its start. Returns false if they belong to another race. Throws any exception if
/// they cannot be read.
bool read_into(Race& race, const std::string& bytes, const std::string& source) {
  const std::size_t begin = kFirstLine.size(), end = bytes.find('\n', begin);
  const InputError damaged("training.saved_damaged", {{"file", source}});
  if (!bytes.starts_with(kFirstLine) || end == std::string::npos) throw damaged;
  const std::string line = bytes.substr(begin, end + 1 - begin);
  const json head = parse_own_json(line);
  std::vector<RunnerState> states = read_states(line, bytes.substr(end + 1), source);
  if (head.at("race") != race.digits) return false;
  race.step = head.at("step");
  race.single_steps = head.at("single_steps");
  for (const json& change : head.at("changes")) race.changes.push_back({change.at("step"), read_course(change)});
  if (race.changes.empty()) throw damaged;
  race.specs = runner_specs(race.start, race.changes.back().course);
  if (states.size() != race.specs.size()) throw damaged;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto cells = static_cast<std::int64_t>(states[i].cells.size());
    if (cells != 3 * parameters_of(*race.setup, race.specs[i])) throw damaged;
  }
  race.runners = std::move(states);
  race.kept.step = race.step;
  race.kept.at = SavedClock::now();
  race.kept.pause = kShownRaceSaveInterval;
  return true;
}

struct CachedRace {
  RaceStart start;
  std::shared_ptr<ResultCache> shelf;
  bool operator==(const CachedRace&) const = default;
};

/// Input: a stopped race to save.
struct RaceToKeep {
  RaceMoment moment;
  std::shared_ptr<ResultCache> shelf;
  bool operator==(const RaceToKeep&) const = default;
};

/// Throws InputError if less memory is free than a race needs. Call it only before the race starts, because afterwards
/// its own memory is no longer free.
void require_memory(const RaceStart& start, const RaceCourse& course) {
  const std::optional<double> free = os::free_memory();
  const double wanted = race_bytes(start, course);
  if (!free || wanted <= *free) return;
  throw InputError("race.memory", {{"wanted", static_cast<std::int64_t>(std::ceil(wanted / (1 << 20)))},
                                   {"free", static_cast<std::int64_t>(*free / (1 << 20))}});
}

/// Reads a saved race; a damaged file is renamed and reported. Throws InputError if there is too little memory for it.
SavedRace load_saved_race(const CachedRace& from, const Work& work) {
  SavedRace result;
  const std::string name = name_saved_race(from.start);
  std::optional<std::string> bytes;
  try {
    bytes = from.shelf->read(name);
  } catch (const InputError& error) {
    result.fault = Message("view.race.not_saved", {{"why", error.words()}});
  }
  if (!bytes) return result;
  require_memory(from.start, {});
  try {
    if (work.stopped()) return result;
    auto race = std::make_shared<Race>();
    race->start = from.start;
    race->setup = std::make_shared<const RaceSetup>(race_setup(from.start));
    race->digits = race_digits(from.start, *race->setup);
    try {
      if (read_into(*race, *bytes, from.shelf->place(name).string())) result.race = race;
    } catch (const std::exception&) {
      result.fault = Message("view.race.damaged", {{"file", from.shelf->quarantine(name).string()}});
    }
  } catch (const InputError& error) {
    result.fault = Message("view.race.not_saved", {{"why", error.words()}});
  }
  return result;
}

/// Saves a race. Does not throw if it cannot be written: the result contains the reason.
RaceKept keep_race(const Race& race, ResultCache& shelf, const std::stop_token& stop) {
  RaceKept kept;
  const SavedClock::time_point begin = SavedClock::now();
  try {
    const std::uint64_t bytes = race.bytes(), most = shelf.most_bytes() / 2;
    if (bytes > most) {
      kept.fault = Message("view.race.too_large", {{"bytes", bytes >> 20}, {"most", most >> 20}});
    } else {
      const std::string line = second_line(race), states = write_states(line, race.runners);
      const std::array<std::string_view, 3> pieces{kFirstLine, line, states};
      if (shelf.write(name_saved_race(race.start), pieces, stop)) kept.step = race.step;
    }
  } catch (const InputError& error) {
    kept.fault = Message("view.race.not_saved", {{"why", error.words()}});
  }
  kept.at = SavedClock::now();
  kept.pause = std::max<SavedClock::duration>(kShownRaceSaveInterval, kSaveTimeDivisor * (kept.at - begin));
  return kept;
}

RaceKept keep_race_of(const RaceToKeep& of, const Work& work) {
  const std::shared_ptr<const Race> race = of.moment.take();
  return race ? keep_race(*race, *of.shelf, work.stop) : RaceKept();
}

// --- Computed ------------------------------------------------------------------------------------------------------

/// Seconds of computing between two updates of a running race.
constexpr double kSecondsShown = 0.3;
constexpr int kTestEvery = 20;
constexpr std::uint64_t kMaxRaceTextBytes = std::uint64_t{64} << 20, kBundledTextBytes = std::uint64_t{4} << 20;

int whole(double number) {
  return static_cast<int>(number);
}

Task task_of(const RaceStart& start) {
  const RaceFields& fields = start.fields;
  const int length = whole(fields.length);
  if (fields.task == RaceTask::copy) return make_task("copy:" + std::to_string(whole(fields.distance)), length);
  if (fields.task == RaceTask::count) return make_task("count:" + std::to_string(whole(fields.modulus)), length);
  if (fields.task != RaceTask::text) return make_task(word_of(fields.task), length);
  const bool masked = fields.objective == RaceObjective::masked;
  if (fields.file.empty()) return text_task("text", bundled_training_text(find_places().assets), length, masked);
  return text_task(fields.file, read_file(fields.file, kMaxRaceTextBytes), length, masked);
}

RaceSetup setup_of(const RaceFields& fields) {
  RaceSetup setup;
  setup.layers = whole(fields.layers);
  setup.width = whole(fields.width);
  setup.heads = whole(fields.heads);
  setup.length = whole(fields.length);
  setup.training.batch = whole(fields.batch);
  setup.training.rate = fields.learning_rate;
  setup.every = 1;
  setup.test_every = kTestEvery;
  return setup;
}

/// Returns a setup with the memory size of the race's, without reading its text.
RaceSetup setup_without_text(const RaceStart& start) {
  if (start.fields.task != RaceTask::text) return race_setup(start);
  RaceSetup setup = setup_of(start.fields);
  const std::string any(static_cast<std::size_t>(32 * setup.length), 'x');
  setup.task = text_task("text", any, setup.length, start.fields.objective == RaceObjective::masked);
  return setup;
}

/// Returns the race with all runners at the start, or at their current step without their numbers.
std::shared_ptr<Race> race_before(const RaceInput& input) {
  auto race = std::make_shared<Race>();
  race->start = input.start;
  if (input.from) {
    race->setup = input.from->setup;
    race->changes = input.from->changes;
    race->step = input.from->step;
    race->kept = input.from->kept;
    race->found = input.from->found;
    race->digits = input.from->digits;
  } else {
    race->setup = std::make_shared<const RaceSetup>(race_setup(input.start));
    race->digits = race_digits(input.start, *race->setup);
    race->kept.at = std::chrono::steady_clock::now();
    race->kept.pause = std::chrono::seconds(3);
    race->found = input.found;
  }
  if (race->changes.empty() || race->changes.back().course != input.course) {
    race->changes.push_back({race->step, input.course});
  }
  race->specs = runner_specs(input.start, input.course);
  race->single_steps = input.single_steps;
  return race;
}

void save_if_needed(Race& race, ResultCache& shelf, const std::stop_token& stop) {
  if (std::chrono::steady_clock::now() < race.kept.at + race.kept.pause) return;
  const std::int64_t before = race.kept.step;
  race.kept = keep_race(race, shelf, stop);
  if (race.kept.step < 0) race.kept.step = before;
}

EncodingValues make_encoding_values(const RaceRunner& runner, const RaceCourse& course, const RaceFields& fields) {
  const Encoding& encoding = find_encoding(runner.encoding);
  RotarySpec spec;
  spec.head_dim = whole(fields.width) / whole(fields.heads);
  spec.trained_length = fields.length;
  spec.extension = runner.extension.value_or(course.extension);
  RotaryAxis& axis = spec.axes.front();
  axis.rotary_dim = spec.head_dim;
  axis.base = runner.base.value_or(course.base);
  EncodingValues settings;
  settings.dim = spec.head_dim;
  put_ladder(settings, encoding, axis, encoding.takes_ladder ? scaled_ladder(spec, 0) : ScaledLadder());
  return settings;
}

}  // namespace

std::string name_saved_race(const RaceStart& start) {
  return "race-" + text_digits(start_text(start));
}

std::string race_digits(const RaceStart& start, const RaceSetup& setup) {
  return text_digits(start_text(start) + "\n" + setup.task.train + setup.task.test);
}

std::string course_text(const RaceCourse& course) {
  return json_of(course).dump();
}

RaceCourse course_of(const std::string& text) {
  return read_course(parse_own_json(text));
}

int race_workers(int threads) {
  return threads > 0 ? threads : std::max(1, worker_count(0) - 1);
}

RaceCourse race_course(const Experiment& experiment) {
  return {experiment.rope.base, extension_of(experiment.rope.scaling)};
}

RaceFields starting_fields(const RaceFields& fields) {
  RaceFields start = fields;
  const RaceFields initial;
  start.encodings.clear(), start.attention = initial.attention, start.also.clear();
  start.steps = initial.steps, start.show = initial.show, start.smoothing = initial.smoothing;
  start.over = initial.over, start.extensions = initial.extensions, start.running = initial.running,
  start.single_steps = initial.single_steps;
  start.zooms.reset();
  if (start.task != RaceTask::text) start.file.clear(), start.objective = initial.objective;
  if (start.task != RaceTask::copy) start.distance = initial.distance;
  if (start.task != RaceTask::count) start.modulus = initial.modulus;
  return start;
}

RaceStart race_start(const Experiment& experiment) {
  RaceStart start{starting_fields(experiment.race), race_runners(experiment.race), {}};
  const RaceFields& fields = start.fields;
  if (!fields.file.empty()) start.file = stamp_of(fields.file);
  ModelShape shape;
  shape.layers = whole(fields.layers), shape.width = whole(fields.width), shape.heads = whole(fields.heads);
  shape.length = whole(fields.length), shape.causal = fields.objective != RaceObjective::masked;
  validate(shape);
  const RaceCourse course = race_course(experiment);
  for (const RaceRunner& runner : start.runners) {  // seeds share their rotation
    shape.linear_attention = runner.linear, shape.random_features = runner.performer;
    position_tables(find_encoding(runner.encoding), make_encoding_values(runner, course, fields), shape,
                    shape.length);  // rejects invalid values
  }
  return start;
}

RaceSetup race_setup(const RaceStart& start) {
  RaceSetup setup = setup_of(start.fields);
  setup.task = task_of(start);
  return setup;
}

std::vector<RunnerSpec> runner_specs(const RaceStart& start, const RaceCourse& course) {
  std::vector<RunnerSpec> specs;
  for (const RaceRunner& runner : start.runners) {
    RunnerSpec spec;
    spec.encoding = runner.encoding;
    spec.linear_attention = runner.linear, spec.random_features = runner.performer;
    spec.settings = make_encoding_values(runner, course, start.fields);
    for (int seed = 1; seed <= whole(start.fields.seeds); ++seed) {
      spec.seed = static_cast<std::uint64_t>(seed);
      specs.push_back(spec);
    }
  }
  return specs;
}

std::int64_t parameters_of(const RaceSetup& setup, const RunnerSpec& spec) {
  EncodingValues settings = spec.settings;
  settings.trained_length = setup.length;
  const ModelShape shape = shape_of(setup, spec);
  return parameter_layout(shape, position_tables(find_encoding(spec.encoding), settings, shape, setup.length)).total;
}

double race_bytes(const RaceStart& start, const RaceCourse& course) {
  const RaceSetup setup = setup_without_text(start);
  // Each runner's parameters and both moments exist four times: as read from a file, before and after some steps, and
  // while being written. The runners are computed one at a time.
  constexpr double kCells = 3 * sizeof(float), kTimes = 4;
  double all = static_cast<double>(std::max<std::uintmax_t>(start.file.size, kBundledTextBytes)), work = 0;
  for (const RunnerSpec& spec : runner_specs(start, course)) {
    const auto cells = kCells * static_cast<double>(parameters_of(setup, spec));
    all += kTimes * cells;
    work = std::max(work, cells + static_cast<double>(Runner::bytes_required(setup, spec, race_workers(0))));
  }
  return all + work;
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

std::shared_ptr<const Race> race_until(const RaceInput& input, const Work& work) {
  if (!input.from) require_memory(input.start, input.course);
  const auto race = race_before(input);
  const int workers = race_workers(work.threads);
  for (std::size_t i = 0; i < race->specs.size(); ++i) {
    Runner runner(*race->setup, race->specs[i], workers);
    if (input.from) runner.restore(input.from->runners[i]);
    while (runner.steps() < input.until && runner.advance(work.stop)) {
    }
    if (work.stopped()) return nullptr;
    race->runners.push_back(runner.state());
  }
  race->step = std::max(race->step, input.until);
  if (input.shelf) save_if_needed(*race, *input.shelf, work.stop);
  return race;
}

RaceNow race_now(const Experiment& experiment, Store& store) {
  const RaceFields& fields = experiment.race;
  RaceInput input{race_start(experiment),         race_course(experiment), 0, fields.single_steps,
                  store.last<race_until>("race"), store.shelf(),           {}};
  if (store.at_once()) input.shelf = nullptr;
  if (input.from && input.from->start != input.start) input.from = nullptr;
  if (!input.from && input.shelf) {
    const auto saved = store.request<load_saved_race>({"race.saved", 1e9, false, true}, {input.start, input.shelf});
    if (!saved.current) return {nullptr, false, true, {}, {}};
    input.from = saved.result->race;
    input.found = saved.result->fault;
  }
  RaceNow now{input.from, false, false, {}, input.found};
  if (input.from) now.kept = input.from->kept, now.found = input.from->found;
  const std::int64_t steps = whole(fields.steps), step = input.from ? input.from->step : 0;
  const bool single = fields.single_steps > (input.from ? input.from->single_steps : 0);
  if ((!fields.running && !single) || step >= steps) {
    if (!input.from || !input.shelf || input.from->kept.step == step) return now;
    const auto kept =
        store.request<keep_race_of>({"race.kept", 1e9, false, true}, {RaceMoment(input.from), input.shelf});
    now.waits = !kept.current;
    if (kept.current) now.kept = *kept.result;
    return now;
  }
  if (single && !fields.running) {
    input.until = step + 1;
  } else if (store.at_once()) {
    input.until = steps;
  } else {
    const double pace = input.from ? input.from->seconds_per_step() : 0;
    const double more = pace > 0 ? kSecondsShown / pace : 1;
    input.until = std::min(steps, step + static_cast<std::int64_t>(std::clamp(more, 1.0, 1e6)));
  }
  const auto answer = store.request<race_until>({"race", 1e9, false, true}, input);
  if (answer.current) now.race = answer.result, now.kept = answer.result->kept, now.found = answer.result->found;
  now.goes_on = !answer.current || now.race->step < steps;
  return now;
}

}  // namespace ropescope
