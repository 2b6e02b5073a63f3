// The view Precision: what number formats do to a rotation. Keys say what the store computes for it; kPrecisionView
// is what view.cpp lists. Read view.h and app/store/store.h before.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/figure/figure.h"
#include "app/views/view.h"
#include "core/precision/precision.h"

namespace ropescope {

// --- Computed ------------------------------------------------------------------------------------------------------

/// Whole positions from 1 to `span`: about 400 at equal ratios, and each power of two with its neighbours, where
/// formats begin to skip positions. Ascending, without repetitions. Precondition: span ≥ 1.
std::vector<double> sampled_positions(double span);

// --- View ----------------------------------------------------------------------------------------------------------

/// What number formats do to the first rope that is not hidden: the largest error of the cosines
/// by position, one line per chosen policy, with rules where neighbouring positions become the same number; under it
/// the error of the score, or the score of two tokens at a fixed distance while both are shifted.
extern const View kPrecisionView;

}  // namespace ropescope
