// The training race as a store computation: it continues from the last result and is saved in the cache. Read
// core/training/race.h, app/store/store.h and app/experiment/race_runners.h first.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/experiment/race_runners.h"
#include "app/resources/files.h"
#include "app/resources/result_cache.h"
#include "app/store/store.h"
#include "core/training/race.h"

namespace ropescope {

// --- Computed ------------------------------------------------------------------------------------------------------

/// The starting conditions of a race: its runners, and the fields without those that may change during the race.
/// Different conditions start a new race.
struct RaceStart {
  RaceFields fields;
  std::vector<RaceRunner> runners;
  FileStamp file;  ///< the text's file
  bool operator==(const RaceStart&) const = default;
};
/// The conditions that may change during a race: the rope of the runners that have no rope settings themselves.
struct RaceCourse {
  double base = 10000;
  Extension extension;
  bool operator==(const RaceCourse&) const = default;
};
/// Returns the number of threads for a race: one core is left to the window.
int race_workers(int threads);
RaceCourse race_course(const Experiment& experiment);
/// Returns the fields that are starting conditions, without the runners.
RaceFields starting_fields(const RaceFields& fields);
/// Returns the starting conditions of the experiment's race. Throws InputError if a runner is invalid or there is none.
RaceStart race_start(const Experiment& experiment);
/// Returns what the runners share; reads the text. Throws InputError as text_task() and make_task().
RaceSetup race_setup(const RaceStart& start);
/// Returns the specs of all runners, one per seed. Throws InputError if an extension cannot be applied.
std::vector<RunnerSpec> runner_specs(const RaceStart& start, const RaceCourse& course);
/// Returns the number of trainable parameters of a model. Throws InputError as position_tables() does.
std::int64_t parameters_of(const RaceSetup& setup, const RunnerSpec& spec);
/// Returns the maximum bytes of a race in the window, while computed, shown and saved. Does not read the text.
double race_bytes(const RaceStart& start, const RaceCourse& course);

/// A change of the rope, effective from this step on.
struct CourseChange {
  std::int64_t step = 0;
  RaceCourse course;
  bool operator==(const CourseChange&) const = default;
};

/// The saved part of a race in the cache.
struct RaceKept {
  std::int64_t step = -1;  ///< −1: nothing is saved
  std::chrono::steady_clock::time_point at;
  std::chrono::steady_clock::duration pause{};  ///< delay until the next save
  Message fault;                                ///< why it could not be saved; empty: there was no error
};

/// The state of a race at one step.
struct Race {
  RaceStart start;
  std::shared_ptr<const RaceSetup> setup;
  std::vector<RunnerSpec> specs;
  std::vector<RunnerState> runners;   ///< one per spec
  std::vector<CourseChange> changes;  ///< the first is at step 0
  std::string digits;                 ///< race_digits()
  double single_steps = 0;
  std::int64_t step = 0;  ///< reached by all that did not fail
  RaceKept kept;
  Message found;  ///< what was wrong with an earlier saved race
  std::size_t bytes() const;
  /// Returns the seconds of computing per step of all runners.
  double seconds_per_step() const;
};

/// The input that runs a race up to a step: from its current state, or from the beginning if the race is new.
struct RaceInput {
  RaceStart start;
  RaceCourse course;
  std::int64_t until = 0;
  double single_steps = 0;
  std::shared_ptr<const Race> from;    ///< does not affect the result: all starting points lead to the same one
  std::shared_ptr<ResultCache> shelf;  ///< saves to it every few seconds; null: not saved
  Message found;                       ///< see Race::found; used if the race has no message yet
  bool operator==(const RaceInput& other) const {
    return start == other.start && course == other.course && until == other.until && single_steps == other.single_steps;
  }
};
/// Computes the race. Throws InputError if a new race has too little memory, and as race_setup() and runner_specs().
std::shared_ptr<const Race> race_until(const RaceInput& input, const Work& work);

/// The current state of a race, and whether it continues. The store computes the next steps if it is running or a
/// single step was requested. `race` is null if nothing has been computed.
struct RaceNow {
  std::shared_ptr<const Race> race;
  bool goes_on = false;
  bool waits = false;  ///< for a saved race to be read, or a stopped one to be saved
  RaceKept kept;
  Message found;  ///< see Race
  bool stands() const { return race && !goes_on && !waits; }
};
/// Returns the current race of the experiment. Throws InputError as race_start() and, from the store, if a new race has
/// too little memory.
RaceNow race_now(const Experiment& experiment, Store& store);

// --- Saved ---------------------------------------------------------------------------------------------------------

/// Returns the name of a race in the cache, identical in every window and after every program start.
std::string name_saved_race(const RaceStart& start);

/// Returns a digest of everything that must be unchanged for saved runners to continue. Reads the whole text of the
/// task.
std::string race_digits(const RaceStart& start, const RaceSetup& setup);
/// Convert a rope of a race to one line, and back bit for bit. Throws nlohmann::json::exception if it is not valid.
std::string course_text(const RaceCourse& course);
RaceCourse course_of(const std::string& text);

/// A saved race, or the reason why it cannot be used. Both are empty if nothing was saved, or if its training text has
/// changed.
struct SavedRace {
  std::shared_ptr<const Race> race;
  Message fault;
  std::size_t bytes() const { return count_bytes(race); }
};

/// The identity of a race at one step; everything computed from its weights at that moment depends on nothing else.
class RaceMoment {
 public:
  explicit RaceMoment(const std::shared_ptr<const Race>& of)
      : start_(of->start), step_(of->step), changes_(of->changes), race_(of), wanted_(of) {}
  /// Returns the race and releases it, so it is freed once the request is computed; null if it has continued since.
  std::shared_ptr<const Race> take() const {
    const std::shared_ptr<const Race> wanted = std::exchange(wanted_, nullptr);
    return wanted ? wanted : race_.lock();
  }
  bool operator==(const RaceMoment& other) const {
    return start_ == other.start_ && step_ == other.step_ && changes_ == other.changes_;
  }

 private:
  RaceStart start_;
  std::int64_t step_ = 0;
  std::vector<CourseChange> changes_;
  std::weak_ptr<const Race> race_;              ///< a cached request does not keep the race alive,
  mutable std::shared_ptr<const Race> wanted_;  ///< but a pending one does
};

}  // namespace ropescope
