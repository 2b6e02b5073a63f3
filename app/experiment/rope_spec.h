// The rope that an experiment describes, its ladder and its curves.
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

/// What the knobs of a rope mean, read once: the view computes with this, not with the knobs.
struct RopeReading : RopeAxes {
  ScaledLadder ladder;    ///< of the axis under the knobs' extension, at the current length
  Eigen::VectorXd plain;  ///< its frequencies without the extension (radians per position)
};

/// The length that a rope is extended for, where nothing else is asked: its context length, else the trained one times
/// the factor of its extension.
double target_length(const RopeKnobs& rope);
/// Whether a method with a short and a long list takes the long one: l > L (transformers; llama.cpp goes by the size of
/// its context).
constexpr bool takes_long_list(double length, double trained_length) {
  return length > trained_length;
}
/// Gives a rope whose extension looks at the current length, and that was given none, the one that is asked; 0: the
/// target length.
void give_length(RopeKnobs& rope, double asked);

/// Throws InputError as spec_of().
RopeAxes read_axes(const RopeKnobs& knobs);
/// Throws InputError as spec_of(), and where the extension cannot be applied, e.g. without a trained length.
RopeReading read_rope(const RopeKnobs& knobs);

// --- Curves --------------------------------------------------------------------------------------------------------

/// Whether curves are shown as differences or ratios.
bool relates(const Experiment& experiment);
/// Which pin they are relative to; none: the current rope. Precondition: check_curves() does not throw.
std::optional<std::size_t> reference_pin(const Experiment& experiment);
/// Throws InputError where there is nothing to compare, or no such pin.
void check_curves(const Experiment& experiment);
/// After pins came or went: back to what check_curves() takes.
void settle_curves(Experiment& experiment);

}  // namespace ropescope
