#pragma once

#include <Eigen/Core>

#include "app/experiment/experiment.h"
#include "core/scaling/scaling.h"

namespace ropescope {

/// The ladder of the axis that is looked at under the knobs' extension, at the current length. Throws InputError where
/// the extension cannot be applied, e.g. without a trained length.
ScaledLadder ladder_of(const RopeKnobs& knobs);
/// Its frequencies alone.
Eigen::VectorXd frequencies_of(const RopeKnobs& knobs);

}  // namespace ropescope
