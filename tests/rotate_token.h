#pragma once

#include <Eigen/Core>
#include <cmath>

#include "core/layouts/layout.h"
#include "core/rotary/rotation.h"
#include "tests/angles_of.h"

namespace ropescope {

/// What the model does to one head vector of 2·pair_count channels of the token in that row.
inline Eigen::VectorXd rotate_token(const TokenLayout& layout, std::int64_t row, const Eigen::VectorXd& x) {
  const Eigen::VectorXd angles = angles_of(layout, row);
  const auto pairs = static_cast<int>(angles.size());
  Eigen::VectorXd rotated(x.size());
  if (layout.table_mismatch && layout.halves_by_axis) {
    int before = 0;  // pairs of the axes before
    for (const LayoutAxis& axis : layout.axes) {
      const int count = axis.rotary_dim / 2;
      for (int c = 2 * before; c < 2 * (before + count); ++c) {
        const double angle = angles[before + (c - 2 * before) % count];
        rotated[c] = x[c] * std::cos(angle) + (c % 2 == 0 ? -x[c + 1] : x[c - 1]) * std::sin(angle);
      }
      before += count;
    }
    return rotated;
  }
  if (layout.table_mismatch) {
    for (int c = 0; c < 2 * pairs; ++c) {
      const double companion = c < pairs ? -x[c + pairs] : x[c - pairs];
      rotated[c] = x[c] * std::cos(angles[c / 2]) + companion * std::sin(angles[c / 2]);
    }
    return rotated;
  }
  int first = 0, count = layout.halves_by_axis ? 0 : pairs;
  auto axis = layout.axes.begin();
  for (int pair = 0; pair < pairs; ++pair) {
    // Each axis alone, where it turns its own halves.
    for (; pair == first + count; ++axis) first += count, count = axis->rotary_dim / 2;
    const auto [own_a, own_b] = pair_channels(layout.pairing, pair - first, count);
    const int a = 2 * first + own_a, b = 2 * first + own_b;
    const double cosine = std::cos(angles[pair]), sine = std::sin(angles[pair]);
    rotated[a] = x[a] * cosine - x[b] * sine;
    rotated[b] = x[a] * sine + x[b] * cosine;
  }
  return rotated;
}

}  // namespace ropescope
