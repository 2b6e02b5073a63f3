// The view Frequencies: the ladder of each rope, pair by pair. It is computed immediately, without the store. Read
// view.h first.
#pragma once

#include "app/views/view.h"

namespace ropescope {

/// Frequency or wavelength of every pair under the rope's extension: one curve per rope, the method's treatment of each
/// pair, the pairs that never complete a turn in training, and the ratio to the plain ladder.
extern const View kFrequenciesView;

}  // namespace ropescope
