#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/arguments.h"
#include "core/training/race.h"

namespace ropescope {

/// What `race` was told.
struct RaceOptions {
  std::optional<std::string> encodings, attention, task, objective, layers, width, heads, length, batch, steps, seeds,
      base, rate, every, threads, output, weights, beyond, dump;
  bool resume = false;
};
void add_race_options(Arguments& arguments, RaceOptions& options);

/// Who runs what, for how long. The fingerprint says what must be the same for saved runs to go on.
struct RacePlan {
  RaceSetup setup;
  std::vector<RunnerSpec> runners;  ///< seeds of a runner side by side
  std::int64_t steps = 1200;
  int beyond = 0;          ///< how many times the length they are read at in the end; 0: they are not
  bool dumps = false;      ///< whether their queries and keys are written
  int threads = 1;         ///< in all
  int threads_of_one = 1;  ///< each runner's own
  std::string fingerprint;
};
/// Throws InputError that names the option or the file.
RacePlan plan_race(const RaceOptions& options);

/// How much memory the race takes, as a sentence; `saved`: bytes of the saved runs that it goes on from. Throws
/// InputError where that is more than there is.
std::string check_memory(const RacePlan& plan, std::uint64_t saved);

}  // namespace ropescope
