#pragma once

#include <optional>

namespace ropescope {

/// Bytes that programs may still take, by the kernel's word; none where it says nothing.
std::optional<double> free_memory();

}  // namespace ropescope
