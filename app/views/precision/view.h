#pragma once

#include "app/views/view.h"

namespace ropescope {

/// What number formats do to the first rope that is not hidden: the largest error of the cosines
/// by position, one line per chosen policy, with rules where neighbouring positions become the same number; under it
/// the error of the score, or the score of two tokens at a fixed distance while both are shifted.
extern const View kPrecisionView;

}  // namespace ropescope
