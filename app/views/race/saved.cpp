#include "app/views/race/saved.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "app/experiment/json_fields.h"
#include "core/error.h"
#include "core/training/parameters.h"

// A saved race: a first line; a second one with whose race it is and the ropes that it had on the way; the states of
// the runners, whose sum covers that line too.

namespace ropescope {

namespace {

using SavedClock = std::chrono::steady_clock;
using nlohmann::json;

constexpr std::string_view kFirstLine = "ropescope-window-race-1\n";
/// A race is saved at most every so often, and at most for a twentieth of the time.
constexpr auto kSavedBetween = std::chrono::seconds(3);
constexpr int kShareOfWriting = 20;

std::string start_text(const RaceStart& start) {
  JsonWriter writer;
  RaceKnobs knobs = start.knobs;
  describe(writer, knobs);
  std::string text = writer.root.dump();
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
CourseChange change_of_saved(const json& from) {
  return {from.at("step"), read_course(from)};
}

std::string second_line(const Race& race) {
  json line = {
      {"race", race.digits}, {"step", race.step}, {"single_steps", race.single_steps}, {"changes", json::array()}};
  for (const CourseChange& change : race.changes) line["changes"].push_back(json_of(change));
  return line.dump() + "\n";
}

/// Puts what the bytes hold into a race that is at its beginning. False: they are another race's. Throws where they
/// cannot be read, whatever.
bool read_into(Race& race, const std::string& bytes, const std::string& source) {
  const std::size_t begin = kFirstLine.size(), end = bytes.find('\n', begin);
  const InputError damaged("training.saved_damaged", {{"file", source}});
  if (!bytes.starts_with(kFirstLine) || end == std::string::npos) throw damaged;
  const std::string line = bytes.substr(begin, end + 1 - begin);
  const json head = json::parse(line);
  std::vector<RunnerState> states = read_states(line, bytes.substr(end + 1), source);
  if (head.at("race") != race.digits) return false;
  race.step = head.at("step");
  race.single_steps = head.at("single_steps");
  for (const json& change : head.at("changes")) race.changes.push_back(change_of_saved(change));
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
  race.kept.pause = kSavedBetween;
  return true;
}

}  // namespace

std::string saved_name(const RaceStart& start) {
  return "race-" + text_digits(start_text(start));
}

std::string race_digits(const RaceStart& start, const RaceSetup& setup) {
  return text_digits(start_text(start) + "\n" + setup.task.train + setup.task.test);
}

std::string course_text(const RaceCourse& course) {
  return json_of(course).dump();
}

RaceCourse course_of(const std::string& text) {
  return read_course(json::parse(text));
}

RaceKept keep_race(const Race& race, Shelf& shelf, const std::stop_token& stop) {
  RaceKept kept;
  const SavedClock::time_point begin = SavedClock::now();
  try {
    const std::uint64_t bytes = race.bytes(), most = shelf.most_bytes() / 2;
    if (bytes > most) {
      kept.fault = Words("view.race.too_large", {{"bytes", bytes >> 20}, {"most", most >> 20}});
    } else {
      const std::string line = second_line(race), states = write_states(line, race.runners);
      const std::array<std::string_view, 3> pieces{kFirstLine, line, states};
      if (shelf.write(saved_name(race.start), pieces, stop)) kept.step = race.step;
    }
  } catch (const InputError& error) {
    kept.fault = Words("view.race.not_saved", {{"why", error.words()}});
  }
  kept.at = SavedClock::now();
  kept.pause = std::max<SavedClock::duration>(kSavedBetween, kShareOfWriting * (kept.at - begin));
  return kept;
}

std::shared_ptr<const SavedRace> SavedRaceInput::compute(int, const std::stop_token& stop) const {
  auto result = std::make_shared<SavedRace>();
  const std::string name = saved_name(start);
  std::optional<std::string> bytes;
  try {
    bytes = shelf->read(name);
  } catch (const InputError& error) {
    result->fault = Words("view.race.not_saved", {{"why", error.words()}});
  }
  if (bytes) require_memory(start, {});
  try {
    if (stop.stop_requested()) return nullptr;
    if (!bytes) return result;
    auto race = std::make_shared<Race>();
    race->start = start;
    race->setup = std::make_shared<const RaceSetup>(race_setup(start));
    race->digits = race_digits(start, *race->setup);
    try {
      if (read_into(*race, *bytes, shelf->place(name).string())) result->race = race;
    } catch (const std::exception&) {
      result->fault = Words("view.race.damaged", {{"file", shelf->set_aside(name).string()}});
    }
  } catch (const InputError& error) {
    result->fault = Words("view.race.not_saved", {{"why", error.words()}});
  }
  return result;
}

std::shared_ptr<const RaceKept> KeepRaceInput::compute(int, const std::stop_token& stop) const {
  const std::shared_ptr<const Race> present = race.lock();
  const auto kept = std::make_shared<RaceKept>(present ? keep_race(*present, *shelf, stop) : RaceKept());
  if (stop.stop_requested()) return nullptr;
  return kept;
}

}  // namespace ropescope
