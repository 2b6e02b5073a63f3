// The rope that an experiment describes, as core computes with it: its axes, its ladder under the extension, and which
// curves are related to which. Views begin with read_rope(). Read experiment.h and core/rotary/spec.h before.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "app/experiment/experiment.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Ladder --------------------------------------------------------------------------------------------------------

/// The axes of a rope, whatever its extension makes of them.
struct RopeAxes {
  RotarySpec spec;
  std::size_t axis = 0;  ///< which of spec.axes is looked at

  const RotaryAxis& shown_axis() const { return spec.axes[axis]; }
};

/// What the fields of a rope mean, read once: the view computes with this, not with the fields.
struct RopeReading : RopeAxes {
  ScaledLadder ladder;    ///< of the axis under the fields' extension, at the current length
  Eigen::VectorXd plain;  ///< its frequencies without the extension (radians per position)
};

/// Whether a method with a short and a long list takes the long one: l > L (transformers; llama.cpp goes by the size of
/// its context).
constexpr bool takes_long_list(double length, double trained_length) {
  return length > trained_length;
}
/// Gives a rope whose extension looks at the current length, and that was given none, the one that is asked; 0: the
/// target length.
void give_length(RopeFields& rope, double asked);

/// The axes of a rope and the one that is looked at. Throws InputError as spec_of().
RopeAxes read_axes(const RopeFields& fields);
/// The rope that the fields describe, with its ladders. Throws InputError as spec_of(), and where the extension cannot
/// be applied, e.g. without a trained length.
RopeReading read_rope(const RopeFields& fields);

// --- Curves --------------------------------------------------------------------------------------------------------

/// Whether curves are shown as differences or ratios.
bool relates(const Experiment& experiment);
/// Which pin they are relative to; none: the current rope. Precondition: check_curves() does not throw.
std::optional<std::size_t> reference_pin(const Experiment& experiment);
/// Throws InputError where there is nothing to compare, or no such pin.
void check_curves(const Experiment& experiment);
/// Brings the curves back to what check_curves() takes, after pins came or went.
void settle_curves(Experiment& experiment);

}  // namespace ropescope
