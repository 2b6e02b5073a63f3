#pragma once

#include "core/check/compare/sides.h"

namespace ropescope {

/// Differences of rows first … first + count − 1 to the reference with what `model` applies.
inline CheckDifferences check_differences(const CheckReference& reference, const CheckInputs& inputs,
                                          const CheckModel* model, std::int64_t first, std::int64_t count) {
  return ComparedValues(reference, inputs, model).differences(first, count);
}

}  // namespace ropescope
