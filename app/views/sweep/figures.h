#pragma once

#include "app/views/sweep/inputs.h"
#include "app/views/view.h"

namespace ropescope {

/// Of one knob a curve, of two a map, or, where the second is a choice or models, a curve for each.
Figure sweep_figure(const Experiment& experiment, const SweptGrid& swept, const Text& text);
/// The axes alone.
Figure empty_sweep_figure(const Experiment& experiment, const Text& text);

/// Where the number is smallest and largest, and at how many points there is one.
std::vector<Readout> sweep_readouts(const SweptGrid& swept, const Text& text);

}  // namespace ropescope
