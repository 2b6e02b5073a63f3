#pragma once

#include "app/views/view.h"

namespace ropescope {

/// The knobs of the view, and those of the rope that it looks at.
void describe_limits(Fields& fields, Experiment& experiment);

/// One of three pictures: the largest context over the base of the plain ladder, with the bases
/// that allow the context looked at and real models as points; what each pair does over that context (turns, variance
/// of cos and sin); the similarity of all pairs against that of the pairs which finish a turn in it.
ViewResult limits_figures(const Experiment& experiment, const Text& text, Store& store);

}  // namespace ropescope
