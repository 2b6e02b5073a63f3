#pragma once

#include <Eigen/Core>

#include "app/experiment/experiment.h"
#include "core/scaling/scaling.h"

namespace ropescope {

/// What the knobs of a rope mean, read once: the view computes with this, not with the knobs.
struct RopeReading {
  RotarySpec spec;
  std::size_t axis = 0;   ///< which of spec.axes is looked at
  ScaledLadder ladder;    ///< of that axis under the knobs' extension, at the current length
  Eigen::VectorXd plain;  ///< its frequencies without the extension (radians per position)

  const RotaryAxis& shown_axis() const { return spec.axes[axis]; }
};

/// Throws InputError as spec_of(), and where the extension cannot be applied, e.g. without a trained length.
RopeReading read_rope(const RopeKnobs& knobs);

}  // namespace ropescope
