#pragma once

#include <vector>

#include "app/views/race/inputs.h"
#include "app/views/view.h"

namespace ropescope {

/// What is learned by those of one encoding, its seeds together.
struct RaceLane {
  std::string encoding, label;
  int slot = 0;
  std::vector<const RunnerState*> runners;  ///< one for each seed
  /// Test losses of the last step at which all of them measured it; empty: none yet.
  std::vector<double> last_tests() const;
};
std::vector<RaceLane> lanes_of(const Race& race, const Text& text);

/// Loss by step or second: the mean of so many steps and of all seeds, the raw losses of all behind it, floor and
/// unigram entropy as rules, and where the base was changed.
Figure race_figure(const Experiment& experiment, const Race& race, const std::vector<RaceLane>& lanes,
                   const Text& text);
Figure empty_race_figure(const Experiment& experiment, const Text& text);
std::vector<Readout> race_readouts(const Race& race, const std::vector<RaceLane>& lanes, const Text& text);

}  // namespace ropescope
