// The view Limits: the context that a base allows, and each pair over that context. registry.cpp registers kLimitsView.
// Read view.h and app/store/store.h first.
#pragma once

#include <vector>

#include "app/figure/figure.h"
#include "app/views/view.h"
#include "core/decay/limits.h"

namespace ropescope {

/// Returns the intervals of bases that allow the context, as sampled: each point extends half way to its neighbours.
std::vector<Range> admissible_windows(const std::vector<LimitPoint>& points, double context);

/// One of three pictures. The first: largest context over the base of the plain ladder, with the bases that allow the
/// selected context and real models as points. The second: turns and variance of cos and sin of each pair over that
/// context. The third: similarity of all pairs and of the pairs that complete a turn in that context.
extern const View kLimitsView;

}  // namespace ropescope
