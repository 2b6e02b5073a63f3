#pragma once

#include <vector>

#include "app/views/race/lanes.h"
#include "app/views/view.h"

namespace ropescope {

/// Loss by step or second: the mean of so many steps and of all seeds, behind it their mean raw losses and the seeds'
/// range; floor and unigram entropy as rules, where the rope was changed, and where a runner stopped.
Figure race_figure(const Experiment& experiment, const Race& race, const std::vector<RaceLane>& lanes,
                   const Text& text);
Figure empty_race_figure(const Experiment& experiment, const Text& text);

}  // namespace ropescope
