// Causes for heads and channels that are arranged differently from the model, from the result of compare/arrangement.h.
// Part of the report.
#pragma once

#include <vector>

#include "core/check/compare/arrangement.h"
#include "core/check/types.h"

namespace ropescope {

/// Returns the causes of an arrangement: heads in another order, channels permuted, or both.
std::vector<CheckCause> causes_of(const Arrangement& arrangement, const HeadVectors& vectors,
                                  const CheckReference& reference, const CheckModel& model);

}  // namespace ropescope
