// Decodes all inputs of a check for a given reference: transposed tables, skipped rows and pairs, impossible sizes.
// Read reading/planes.h first, which decodes single inputs without a model.
#pragma once

#include <cstdint>
#include <optional>

#include "core/check/reading/planes.h"
#include "core/check/types.h"

namespace ropescope {

/// Decodes the inputs. Throws InputError as check() does.
CheckTensors take_tensors(const CheckReference& reference, const CheckInputs& inputs);

}  // namespace ropescope
