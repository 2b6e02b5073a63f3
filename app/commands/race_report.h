#pragma once

#include <string>
#include <vector>

#include "app/commands/race_plan.h"

namespace ropescope {

/// run,seed,step,seconds,loss,test_loss: a row per point of every curve.
std::string race_table(const RacePlan& plan, const std::vector<RunnerState>& states);
/// Who stopped, where the curves could end, and who is ahead of whom, in sentences.
std::vector<std::string> race_verdict(const RacePlan& plan, const std::vector<RunnerState>& states);

}  // namespace ropescope
