// The view Limits: the context that a base allows, and each pair over that context. Read view.h and
// app/store/store.h first.
#pragma once

#include <vector>

#include "app/figure/figure.h"
#include "app/views/view.h"
#include "core/decay/limits.h"

namespace ropescope {

/// Returns the intervals of bases that allow the context, as sampled: each point extends half way to its neighbours.
std::vector<Range> admissible_windows(const std::vector<LimitPoint>& points, double context);

}  // namespace ropescope
