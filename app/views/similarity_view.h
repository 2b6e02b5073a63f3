#pragma once

#include "app/views/view.h"

namespace ropescope {

/// How similar every token is to an anchor that follows the mouse: in the chosen layout, and in another one beside it.
void describe_similarity(Fields& fields, Experiment& experiment);
ViewResult similarity_figures(const Experiment& experiment, const Text& text, Store& store);
/// A click keeps the anchor that followed the mouse; once it is kept, clicks choose anchor and targets (click_token).
void react_similarity(Experiment& experiment, const FigureEvent& event);

}  // namespace ropescope
