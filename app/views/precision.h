#pragma once

#include "app/views/view.h"

namespace ropescope {

/// The knobs of the view, and those of the rope that it looks at.
void describe_precision(Fields& fields, Experiment& experiment);

/// What number formats do to the first rope that is not hidden: the largest error of the cosines
/// by position, one line per chosen policy, with rules where neighbouring positions become the same number; under it
/// the error of the score, or the score of two tokens at a fixed distance while both are shifted.
ViewResult precision_figures(const Experiment& experiment, const Text& text, Store& store);

}  // namespace ropescope
