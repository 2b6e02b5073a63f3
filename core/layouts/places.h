#pragma once

#include "core/layouts/layout.h"

namespace ropescope {

/// Throws InputError unless rows first … first + count − 1 are all there.
void require_rows(const TokenLayout& layout, std::int64_t first, std::int64_t count);
/// Which of the values of an axis a place of the block has.
std::int64_t value_index(const TokenBlock& block, Along along, const TokenPlace& place);

}  // namespace ropescope
