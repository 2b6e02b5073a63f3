#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/experiment/ladder.h"
#include "core/encodings/encoding.h"

namespace ropescope {

/// The settings of an encoding: dim, base, pairing and rotary part from the axis of the rope that is looked at (without
/// its context extension), the rest from the encoding knobs. What the encoding does not look at keeps its initial
/// value, so that moving its knob computes nothing. They are checked by make_model.
EncodingSettings encoding_settings_of(const RopeAxes& rope, const EncodingKnobs& knobs, const Encoding& encoding);

/// Declares the controls that some encodings (by name, unknown ones are passed over) look at: rope.base,
/// rope.rotary_dim or rope.axis, rope.pairing, and the encoding knobs.
void describe_encodings(Fields& fields, Experiment& experiment, const std::vector<std::string>& names);

/// The colour and dash of an encoding's curve, the same whatever stands beside it: kin share a colour.
int encoding_slot(std::string_view name);

}  // namespace ropescope
