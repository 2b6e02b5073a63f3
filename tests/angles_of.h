#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/layouts/layout.h"

namespace ropescope {

/// The angle of every pair of one row, radians, straight from the formula.
inline Eigen::VectorXd angles_of(const TokenLayout& layout, std::int64_t row) {
  const std::vector<double> ids = ids_of(layout, row);
  Eigen::VectorXd angles = Eigen::VectorXd::Zero(layout.pair_count());
  for (std::size_t axis = 0; axis < ids.size(); ++axis) {
    const LayoutAxis& of = layout.axes[axis];
    angles +=
        layout.frequencies.row(static_cast<Eigen::Index>(axis)).transpose() * (of.id_scale * ids[axis] + of.id_offset);
  }
  return angles;
}

}  // namespace ropescope
