// The view Sweep: a card's number over one field as a curve, or over two fields as a map. Read view.h and
// app/store/store.h first.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/store/store.h"
#include "app/views/shared/facets.h"
#include "app/views/view.h"

namespace ropescope {

// --- Grid ----------------------------------------------------------------------------------------------------------

inline constexpr std::size_t kMaxPointsShown = 10'000;

/// Throws InputError if the picture of this view is empty because its readout is unknown; the text has similar names.
/// For programs without a window, in which no one sees the empty picture. The store must be synchronous.
void check_swept_readout(const Experiment& experiment, const ViewResult& shown, const Text& text, Store& store);

}  // namespace ropescope
