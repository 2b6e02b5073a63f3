#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/commands/race_plan.h"
#include "core/training/beyond.h"

namespace ropescope {

/// A run that is read past its trained length by one method, or why it is not.
struct BeyondRead {
  std::size_t runner = 0;  ///< index into RacePlan::runners
  BeyondOptions options;
  std::string absent;  ///< a reason; empty: it is read
  BeyondLosses losses;
};
/// All that --beyond asks for, nothing read yet. Throws InputError where the task has no sequence of that length.
std::vector<BeyondRead> plan_beyond(const RacePlan& plan);
/// Bytes of the one that takes most: they are read one after the other.
std::int64_t beyond_bytes(const RacePlan& plan);

/// "race.csv" → "race.beyond.csv"
std::filesystem::path beyond_path(const std::filesystem::path& output);
/// run,seed,method,length,position_from,position_to,tokens,loss: a row for each bucket; the last position belongs to
/// it.
std::string beyond_table(const RacePlan& plan, const std::vector<BeyondRead>& reads);
/// For each runner what its methods lose past the trained length, means over its seeds, the least first.
std::vector<std::string> beyond_verdict(const RacePlan& plan, const std::vector<BeyondRead>& reads);

}  // namespace ropescope
