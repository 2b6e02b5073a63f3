// The rope of an experiment in the form that core computes with: its axes, its ladder under the extension, and
// relations between curves. Views start with read_rope(). Read experiment.h and core/rotary/spec.h first.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "app/experiment/experiment.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Ladder --------------------------------------------------------------------------------------------------------

/// The axes of a rope, without its extension.
struct RopeAxes {
  RotarySpec spec;
  std::size_t axis = 0;  ///< index of the selected axis in spec.axes

  const RotaryAxis& shown_axis() const { return spec.axes[axis]; }
};

/// The rope fields, parsed once; views compute with this struct, not with the fields.
struct RopeReading : RopeAxes {
  ScaledLadder ladder;    ///< ladder of the axis under the fields' extension, at the current length
  Eigen::VectorXd plain;  ///< its frequencies without the extension (radians per position)
};

/// Returns whether a method with a short and a long list uses the long one: l > L (as in transformers; llama.cpp
/// compares the size of its context).
constexpr bool takes_long_list(double length, double trained_length) {
  return length > trained_length;
}
/// Sets the current length of a rope to `asked` (0: the target length) if its extension depends on that length and none
/// is set.
void give_length(RopeFields& rope, double asked);

/// Returns the length that a rope's model supports with its extension if it is longer than the trained length, else 0.
double extended_length(const RopeFields& rope);

/// Returns the axes of a rope and the selected axis. Throws InputError as spec_of() does.
RopeAxes read_axes(const RopeFields& fields);
/// Returns the rope of the fields, with its ladders. Throws InputError as spec_of() does, and if the extension cannot
/// be applied, e.g. without a trained length.
RopeReading read_rope(const RopeFields& fields);

// --- Curves --------------------------------------------------------------------------------------------------------

/// Returns whether curves are shown as differences or ratios.
bool relates(const Experiment& experiment);
/// Returns the pin that curves are relative to; nullopt: the current rope. Precondition: check_curves() does not throw.
std::optional<std::size_t> reference_pin(const Experiment& experiment);
/// Throws InputError if there is nothing to compare, or no such pin.
void check_curves(const Experiment& experiment);
/// Resets curve settings that check_curves() would reject after pins were added or removed.
void settle_curves(Experiment& experiment);

}  // namespace ropescope
