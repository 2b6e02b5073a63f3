// The view Limits: which context a base allows, and what each pair does over it; kLimitsView is what view.cpp lists.
// Read view.h and app/store/store.h before.
#pragma once

#include <vector>

#include "app/figure/figure.h"
#include "app/views/view.h"
#include "core/decay/limits.h"

namespace ropescope {

/// Stretches of bases that allow the context, as far as the points show them: each reaches half way to its neighbours.
std::vector<Range> admissible_windows(const std::vector<LimitPoint>& points, double context);

/// One of three pictures: the largest context over the base of the plain ladder, with the bases
/// that allow the context looked at and real models as points; what each pair does over that context (turns, variance
/// of cos and sin); the similarity of all pairs against that of the pairs which finish a turn in it.
extern const View kLimitsView;

}  // namespace ropescope
