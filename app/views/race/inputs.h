#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/resources/file_stamp.h"
#include "app/store/store.h"
#include "core/training/race.h"

namespace ropescope {

/// Everything that a race begins with: the knobs without what may change on the way. Another one starts it anew.
struct RaceStart {
  RaceKnobs knobs;
  FileStamp file;  ///< of the text
  bool operator==(const RaceStart&) const = default;
};
/// Throws InputError where a runner cannot be, or there is none.
RaceStart race_start(const Experiment& experiment);
/// What the runners share; reads the text. Throws InputError as text_task() and make_task().
RaceSetup race_setup(const RaceStart& start);
/// For each encoding its seeds.
std::vector<RunnerSpec> race_runners(const RaceStart& start, double base);

/// From this step on the base was another one.
struct BaseChange {
  std::int64_t step = 0;
  double base = 0;
};

/// A race somewhere on its way.
struct Race {
  RaceStart start;
  std::shared_ptr<const RaceSetup> setup;
  std::vector<RunnerSpec> specs;
  std::vector<RunnerState> runners;  ///< one for each spec
  std::vector<BaseChange> bases;     ///< the first one at step 0
  double single_steps = 0;
  std::int64_t step = 0;  ///< that all have reached that did not fail
  std::size_t bytes() const;
  /// Seconds of computing that a step of all takes.
  double seconds_per_step() const;
};

/// Goes on to a step, from where the race was; where that is another race's, from its beginning.
struct RaceInput {
  using Result = Race;
  RaceStart start;
  double base = 10000;
  std::int64_t until = 0;
  double single_steps = 0;
  std::shared_ptr<const Race> from;  ///< says nothing about the result: every way there is the same
  bool operator==(const RaceInput& other) const {
    return start == other.start && base == other.base && until == other.until && single_steps == other.single_steps;
  }
  double cost() const { return 1e9; }
  std::shared_ptr<const Race> compute(int threads, const std::stop_token& stop) const;
};

/// The race as far as it has come, and whether it goes on: asks the store for the next steps where it runs or one step
/// was asked for. Null where nothing has been computed.
struct RaceNow {
  std::shared_ptr<const Race> race;
  bool goes_on = false;
};
RaceNow race_now(const Experiment& experiment, Store& store);

}  // namespace ropescope
