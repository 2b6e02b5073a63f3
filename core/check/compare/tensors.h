// The inputs of a check taken apart for a reference: which way round their tables stand, rows and pairs that are left
// out, sizes that nothing has. Read reading/planes.h first: it takes single inputs apart and knows no model.
#pragma once

#include <cstdint>
#include <optional>

#include "core/check/check.h"
#include "core/check/reading/planes.h"

namespace ropescope {

/// Throws InputError where a row, the frequencies or the ids are more than there can be.
void require_sizes(const CheckInputs& inputs);

/// Rows that the inputs should have; none where a rope takes as many as there are.
std::optional<std::int64_t> expected_rows(const CheckReference& reference, const CheckInputs& inputs);

/// The inputs taken apart. Throws InputError as check().
CheckTensors take_tensors(const CheckReference& reference, const CheckInputs& inputs);

}  // namespace ropescope
