// The inputs of a check taken apart for a reference: which way round their tables stand, rows and pairs that are left
// out, sizes that nothing has. Read reading/planes.h first: it takes single inputs apart and knows no model.
#pragma once

#include <cstdint>
#include <optional>

#include "core/check/check.h"
#include "core/check/reading/planes.h"

namespace ropescope {

/// The inputs taken apart. Throws InputError as check().
CheckTensors take_tensors(const CheckReference& reference, const CheckInputs& inputs);

}  // namespace ropescope
