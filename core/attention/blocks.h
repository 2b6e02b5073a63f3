#pragma once

#include <Eigen/Core>

#include "core/encodings/share_blocks.h"

namespace ropescope {

/// How many tokens a thread takes at a time.
inline constexpr Eigen::Index kTokenBlock = 64;

}  // namespace ropescope
