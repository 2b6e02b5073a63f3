#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "core/encodings/encoding.h"

namespace ropescope {

/// The settings of an encoding: dim, base, pairing and rotary part from the axis of the rope that is looked at, with
/// the ladder that its context extension makes of them where the encoding turns by one (see put_ladder), and the rest
/// from the encoding knobs. What the encoding does not look at keeps its initial value, so that moving its knob
/// computes nothing. They are checked by make_model. head_dim: channels of a head that is there (a file's; 0: the
/// rotary ones); a rope that is narrower turns its first channels, one that is wider is cut to it.
/// Throws InputError as spec_of(), and where the encoding turns and the extension cannot be applied.
EncodingSettings encoding_settings_of(const RopeKnobs& rope, const EncodingKnobs& knobs, const Encoding& encoding,
                                      int head_dim = 0);

/// "RoPE, llama3 ×8": the title, and the context extension where the encoding turns by such a ladder.
std::string encoding_label(const Encoding& encoding, const RopeKnobs& rope, const Text& text);
struct EncodingShown {
  const Encoding* encoding = nullptr;
  const EncodingSettings* settings = nullptr;
};
/// Where the rope's context is extended and one of the shown encodings turns: adds a card of this name that says by
/// which ladder it does, and what the ladder's amplitude makes of scores.
void add_ladder_readout(std::vector<Readout>& readouts, const std::string& name,
                        const std::vector<EncodingShown>& shown, const RopeKnobs& rope, const Text& text);

/// Declares the controls that some encodings (by name, unknown ones are passed over) look at: those of the rope with
/// its context extension where one of them turns, else rope.base and rope.rotary_dim or rope.axis; rope.pairing, and
/// the encoding knobs.
void describe_encodings(Fields& fields, Experiment& experiment, const std::vector<std::string>& names);

/// The colour and dash of an encoding's curve, the same whatever stands beside it: kin share a colour.
int encoding_slot(std::string_view name);

}  // namespace ropescope
