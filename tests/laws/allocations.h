#pragma once

#include "tests/test.h"

namespace ropescope {

/// How often any thread of this program has asked for memory by new, so far.
std::int64_t allocations();

}  // namespace ropescope
