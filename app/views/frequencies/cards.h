#pragma once

#include <vector>

#include "app/figure/figure.h"
#include "app/views/shared/ropes.h"
#include "core/scaling/scaling.h"

namespace ropescope {

/// A rope on screen with its pairs: under its extension and plain.
struct LadderCurve {
  ShownRope shown;
  ScaledLadder scaled;
  Eigen::VectorXd plain, trained;  ///< trained: see trained_frequencies
};

/// Unseen phases, critical dimension, slowest wavelength, amplitude; compared with the first pinned rope, if any.
std::vector<Readout> frequencies_readouts(const LadderCurve& current, const LadderCurve* pinned, const Text& text);

}  // namespace ropescope
