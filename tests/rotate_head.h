#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/rotary/rotation.h"
#include "core/rotary/spec.h"

namespace ropescope {

/// The frequencies of all pairs of the head by their plain ladders, the axes one after the other.
inline Eigen::VectorXd pair_frequencies(const RotarySpec& spec) {
  Eigen::VectorXd frequencies(total_rotary_dim(spec) / 2);
  Eigen::Index begin = 0;
  for (const RotaryAxis& axis : spec.axes) {
    const Eigen::VectorXd of_axis = axis_frequencies(axis);
    frequencies.segment(begin, of_axis.size()) = of_axis;
    begin += of_axis.size();
  }
  return frequencies;
}

/// One head vector of one token, from the spec to the turned channels.
inline Eigen::VectorXd rotate_head(const RotarySpec& spec, const Eigen::VectorXd& x,
                                   const std::vector<double>& positions) {
  return rotate_by_row(spec, head_table_row(spec, pair_frequencies(spec), positions), x);
}

}  // namespace ropescope
