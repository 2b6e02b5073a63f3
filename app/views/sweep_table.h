// The picture "table" of the view Sweep: readouts of several ropes, one row per rope. Read sweep.h first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/store/store.h"

namespace ropescope {

inline constexpr std::size_t kMaxTableRopes = 64, kMaxTableCards = 16;

/// Returns a card's label: its own, the one shared with other views' cards ("readout.unseen"), or its name.
std::string label_of_readout(const std::string& name, const Text& text);
/// Returns the label of a field, or of kVariedModel; its key if it has none.
std::string label_of_field(std::string_view key, const Text& text);

/// Builds the table of the ropes and cards that SweepFields names. Throws InputError if a name is not a rope, there are
/// too many ropes or cards, no rope has a card, or nothing could be computed.
ViewResult make_rope_table(const Experiment& experiment, const Text& text, Store& store);

}  // namespace ropescope
