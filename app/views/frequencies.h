#pragma once

#include "app/views/view.h"

namespace ropescope {

void describe_frequencies(Fields& fields, Experiment& experiment);

/// Frequency or wavelength of every pair under the rope's extension, what the method does to each pair, which pairs
/// never finish a turn in training, and the ratio to the plain ladder. One curve per rope.
ViewResult frequencies_figures(const Experiment& experiment, const Text& text, Store& store);

}  // namespace ropescope
