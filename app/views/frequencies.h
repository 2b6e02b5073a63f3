// The view Frequencies.
#pragma once

#include "app/views/view.h"

namespace ropescope {

/// Frequency or wavelength of every pair under the rope's extension, what the method does to each pair, which pairs
/// never finish a turn in training, and the ratio to the plain ladder. One curve per rope.
extern const View kFrequenciesView;

}  // namespace ropescope
