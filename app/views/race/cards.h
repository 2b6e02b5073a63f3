#pragma once

#include <vector>

#include "app/views/race/lanes.h"
#include "app/views/view.h"

namespace ropescope {

/// Who is ahead and how sure that is, then the test loss of each lane, the least first; last, where something is wrong
/// with what is saved, what that is.
std::vector<Readout> race_readouts(const Race& race, const std::vector<RaceLane>& lanes, const Words& fault,
                                   const Text& text);

}  // namespace ropescope
