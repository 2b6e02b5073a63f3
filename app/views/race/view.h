// The view Race: small Transformers trained side by side. inputs.h trains them step by step in the store; figures.h
// draws their losses. Read app/views/view.h first.
#pragma once

#include <vector>

#include "app/views/race/figures.h"
#include "app/views/view.h"

namespace ropescope {

// --- Cards ---------------------------------------------------------------------------------------------------------

/// Returns the cards on the leader and the significance of its lead, then on each lane's test loss in ascending order,
/// and at the end on any problem with the saved race.
std::vector<Readout> race_readouts(const Race& race, const std::vector<RaceLane>& lanes, const Message& fault,
                                   const Text& text);

// --- View ----------------------------------------------------------------------------------------------------------

/// Small Transformers trained side by side: loss by step, the leading runner, and the significance of its lead.
extern const View kRaceView;

}  // namespace ropescope
