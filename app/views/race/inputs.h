// The race that runs, as the store computes it: it goes on from the last result, and saves on the shelf. Read
// core/training/race.h, app/store/store.h and app/experiment/race_runners.h before.
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
#include "app/resources/shelf.h"
#include "app/store/store.h"
#include "core/training/race.h"

namespace ropescope {

// --- Computed ------------------------------------------------------------------------------------------------------

/// Everything that a race begins with: the fields without what may change on the way, and without the runners, which
/// stand beside them. Another one starts it anew.
struct RaceStart {
  RaceFields fields;
  std::vector<RaceRunner> runners;
  FileStamp file;  ///< of the text
  bool operator==(const RaceStart&) const = default;
};
/// What may change on the way: the rope of those runners that have none of their own.
struct RaceCourse {
  double base = 10000;
  Extension extension;
  bool operator==(const RaceCourse&) const = default;
};
/// Threads of a race: of all cores one is left to the window.
int race_workers(int threads);
RaceCourse race_course(const Experiment& experiment);
/// The fields that a race begins with, without the runners.
RaceFields starting_fields(const RaceFields& fields);
/// What the race of the experiment begins with. Throws InputError where a runner cannot be, or there is none.
RaceStart race_start(const Experiment& experiment);
/// What the runners share; reads the text. Throws InputError as text_task() and make_task().
RaceSetup race_setup(const RaceStart& start);
/// The specs of all runners, for each its seeds. Throws InputError where an extension cannot be applied.
std::vector<RunnerSpec> runner_specs(const RaceStart& start, const RaceCourse& course);
/// The numbers that a model trains. Throws InputError as position_tables().
std::int64_t parameters_of(const RaceSetup& setup, const RunnerSpec& spec);
/// Bytes that a race of the window takes at most, while it is computed, shown and saved. Reads no text.
double race_bytes(const RaceStart& start, const RaceCourse& course);

/// A change of the rope: from this step on it was another one.
struct CourseChange {
  std::int64_t step = 0;
  RaceCourse course;
  bool operator==(const CourseChange&) const = default;
};

/// What of a race lies on the shelf.
struct RaceKept {
  std::int64_t step = -1;  ///< −1: nothing
  std::chrono::steady_clock::time_point at;
  std::chrono::steady_clock::duration pause{};  ///< until it is saved again
  Words fault;                                  ///< why it could not be saved; empty: it could
};

/// A race somewhere on its way.
struct Race {
  RaceStart start;
  std::shared_ptr<const RaceSetup> setup;
  std::vector<RunnerSpec> specs;
  std::vector<RunnerState> runners;   ///< one for each spec
  std::vector<CourseChange> changes;  ///< the first one at step 0
  std::string digits;                 ///< race_digits()
  double single_steps = 0;
  std::int64_t step = 0;  ///< that all have reached that did not fail
  RaceKept kept;
  Words found;  ///< what was wrong with what was saved before
  std::size_t bytes() const;
  /// Seconds of computing that a step of all takes.
  double seconds_per_step() const;
};

/// Goes on with a race to a step, from where it was; where that is another race, from its beginning.
struct RaceInput {
  RaceStart start;
  RaceCourse course;
  std::int64_t until = 0;
  double single_steps = 0;
  std::shared_ptr<const Race> from;  ///< says nothing about the result: every way there is the same
  std::shared_ptr<Shelf> shelf;      ///< where it is saved every few seconds; null: nowhere
  Words found;                       ///< see Race; where it has none yet
  bool operator==(const RaceInput& other) const {
    return start == other.start && course == other.course && until == other.until && single_steps == other.single_steps;
  }
};
/// Throws InputError where a race that is to begin has too little memory, and as race_setup() and runner_specs().
std::shared_ptr<const Race> race_until(const RaceInput& input, const Work& work);

/// The race as far as it has come, and whether it goes on: asks the store for the next steps where it runs or one step
/// was asked for. Null where nothing has been computed.
struct RaceNow {
  std::shared_ptr<const Race> race;
  bool goes_on = false;
  bool waits = false;  ///< for what was saved to be read, or for what stands to be saved
  RaceKept kept;
  Words found;  ///< see Race
  bool stands() const { return race && !goes_on && !waits; }
};
/// The race of the experiment now. Throws InputError as race_start(), and, out of the store, where a race that is to
/// begin has too little memory.
RaceNow race_now(const Experiment& experiment, Store& store);

// --- Saved ---------------------------------------------------------------------------------------------------------

/// The name of a race on the shelf: the same in every window and after every start of the program.
std::string saved_name(const RaceStart& start);

/// Digits that stand for everything that must be the same for saved runners to go on. Reads through the whole text of
/// the task.
std::string race_digits(const RaceStart& start, const RaceSetup& setup);
/// A rope of a race as one line, and back to the bit. Throws nlohmann::json::exception where it is none.
std::string course_text(const RaceCourse& course);
RaceCourse course_of(const std::string& text);

/// A race that was saved, or why what was there cannot be used. Both are empty where nothing was there, or the text
/// that it learns has become another one.
struct SavedRace {
  std::shared_ptr<const Race> race;
  Words fault;
  std::size_t bytes() const { return bytes_of(race); }
};

/// Which race, and where on its way: what is computed from its weights of that moment depends on nothing else.
class RaceMoment {
 public:
  explicit RaceMoment(const std::shared_ptr<const Race>& of)
      : start_(of->start), step_(of->step), changes_(of->changes), race_(of), wanted_(of) {}
  /// The race, which is let go of once the request is computed; null where it has gone on since.
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
  std::weak_ptr<const Race> race_;              ///< no request that is remembered keeps it alive,
  mutable std::shared_ptr<const Race> wanted_;  ///< but one that is not computed yet does
};

}  // namespace ropescope
