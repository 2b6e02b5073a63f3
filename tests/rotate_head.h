#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/rotary/frequencies.h"
#include "core/rotary/rotation.h"

namespace ropescope {

/// One head vector of one token, from the spec to the turned channels.
inline Eigen::VectorXd rotate_head(const RotarySpec& spec, const Eigen::VectorXd& x,
                                   const std::vector<double>& positions) {
  return rotate_by_row(spec, head_table_row(spec, pair_frequencies(spec), positions), x);
}

}  // namespace ropescope
