// The view Frequencies: the ladder of each rope, pair by pair. It computes on the spot, so it has no inputs for the
// store. Read view.h before.
#pragma once

#include "app/views/view.h"

namespace ropescope {

/// Frequency or wavelength of every pair under the rope's extension, what the method does to each pair, which pairs
/// never finish a turn in training, and the ratio to the plain ladder. One curve per rope.
extern const View kFrequenciesView;

}  // namespace ropescope
