// The view Race: small Transformers that learn side by side. inputs.h trains them step by step in the store, figures.h
// draws their losses. Read app/views/view.h before.
#pragma once

#include <vector>

#include "app/views/race/figures.h"
#include "app/views/view.h"

namespace ropescope {

// --- Cards ---------------------------------------------------------------------------------------------------------

/// Who is ahead and how sure that is, then the test loss of each lane, the least first; last, where something is wrong
/// with what is saved, what that is.
std::vector<Readout> race_readouts(const Race& race, const std::vector<RaceLane>& lanes, const Words& fault,
                                   const Text& text);

// --- View ----------------------------------------------------------------------------------------------------------

/// Small Transformers that learn side by side: loss by step, what can be told of who is ahead, and how sure it is.
extern const View kRaceView;

}  // namespace ropescope
