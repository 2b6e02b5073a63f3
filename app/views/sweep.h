// The view Sweep: a card's number over one field as a curve, over two fields as a map, or readouts of several ropes as
// a table with one row per rope. Read view.h and app/store/store.h first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/store/store.h"
#include "app/views/shared/facets.h"
#include "app/views/view.h"

namespace ropescope {

// --- Grid ----------------------------------------------------------------------------------------------------------

inline constexpr std::size_t kMaxPointsShown = 10'000;

/// Throws InputError if the picture of this view is empty because its readout is unknown; the text has similar names.
/// For programs without a window, in which no one sees the empty picture. The store must be synchronous.
void check_swept_readout(const Experiment& experiment, const ViewResult& shown, const Text& text, Store& store);

// --- Table ---------------------------------------------------------------------------------------------------------

inline constexpr std::size_t kMaxTableRopes = 64, kMaxTableCards = 16;

/// Returns a card's label: its own, the one shared with other views' cards ("readout.unseen"), or its name.
std::string label_of_readout(const std::string& name, const Text& text);
/// Returns the label of a field, or of kVariedModel; its key if it has none.
std::string label_of_field(std::string_view key, const Text& text);

/// Builds the table of the ropes and cards that SweepFields names. Throws InputError if a name is not a rope, there are
/// too many ropes or cards, no rope has a card, or nothing could be computed.
ViewResult make_rope_table(const Experiment& experiment, const Text& text, Store& store);

}  // namespace ropescope
