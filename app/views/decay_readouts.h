#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/decay_curves.h"

namespace ropescope {

/// The curves of one rope as far as they have been computed.
struct DecayCurvesOf {
  RopeKnobs rope;
  Eigen::VectorXd frequencies, plain;         ///< under the extension, and without it
  std::shared_ptr<const DecayCurves> curves;  ///< null: nothing yet
  bool current = false;                       ///< false: of an earlier input
};

/// The answers in words under the plot: first negative similarity, last above one half, pairs that never finish a turn
/// in the trained length, lowest value and zero crossings; each compared with the first pinned rope, if any.
std::vector<Readout> decay_readouts(const DecayCurvesOf& current, const DecayCurvesOf* pinned, const DecayKnobs& knobs,
                                    const Text& text);

}  // namespace ropescope
