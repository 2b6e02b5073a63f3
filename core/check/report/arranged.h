// Heads and channels that stand elsewhere than the model has them, as causes: what compare/arrangement.h found, in
// words. Part of the report.
#pragma once

#include <vector>

#include "core/check/check.h"
#include "core/check/compare/arrangement.h"

namespace ropescope {

/// The causes that an arrangement is: heads in another order, channels permuted, or both.
std::vector<CheckCause> causes_of(const Arrangement& arrangement, const HeadVectors& vectors,
                                  const CheckReference& reference, const CheckModel& model);

}  // namespace ropescope
