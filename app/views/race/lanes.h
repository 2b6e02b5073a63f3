#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/race_runners.h"
#include "app/resources/text.h"
#include "app/views/race/inputs.h"

namespace ropescope {

/// A runner with all its seeds.
struct RaceLane {
  RaceRunner runner;
  std::string key, label;
  std::string card;  ///< ends the names of its cards, which conditions of lessons can hold: "rope-base-500000"
  int slot = 0;
  std::vector<const RunnerState*> seeds;
  /// Test losses of the last step at which all that still run measured it, a seed that failed being not a number;
  /// empty: none yet.
  std::vector<double> last_tests() const;
  /// That step; 0: none.
  std::int64_t last_test_step() const;
};
/// As long as the race lives. Lanes of one encoding have colours of their own.
std::vector<RaceLane> lanes_of(const Race& race, const Text& text);

/// "RoPE, linear attention, base 500 000": the kind of attention where they differ.
std::string runner_label(const RaceRunner& runner, bool kinds_differ, const Text& text);
/// "yarn ×4"; "not extended".
std::string extension_words(const Extension& extension, const Text& text);

/// Lanes that have been tested with their mean loss, the least one first.
std::vector<std::pair<double, const RaceLane*>> ranking_of(const std::vector<RaceLane>& lanes);

}  // namespace ropescope
