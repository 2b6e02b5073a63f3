#pragma once

#include "core/check/causes/cause.h"

namespace ropescope {

/// Appends "position-scale" with a factor for each axis: of all ids, of images alone, or from where each image begins;
/// and what other settings of the layout give (seconds of a video, a grid stretched to a number of positions).
void propose_axis_scales(const Situation& situation, std::vector<Proposal>& proposals);

/// Appends it with one factor for all axes, its only parameter, as tables or vectors show it.
void propose_factors(const Situation& situation, std::vector<Proposal>& proposals);

}  // namespace ropescope
