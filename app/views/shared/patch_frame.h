#pragma once

#include <algorithm>
#include <utility>

#include "app/figure/figure.h"
#include "app/views/layout/inputs.h"

namespace ropescope {

/// Colour of the targets' frames (Role::curve): one that no map of these views has much of.
inline constexpr int kTargetSlot = 1;

/// Frames around a token: at least as large as can be seen, one inside the other, so that one of the two stands out.
inline void add_patch_frame(Figure& figure, const SeenBlock& seen, std::int64_t token, Role role) {
  if (!seen.shows(token)) return;
  const double shown = std::max(figure.x.range.high - figure.x.range.low, figure.y.range.high - figure.y.range.low);
  const double half = std::max(0.5, 0.008 * shown), gap = 0.0045 * shown;
  // One at the edge of the image would lose two of its sides.
  const auto inside = [half](std::int64_t cell, const Range& fit) {
    const double least = fit.low + half, most = fit.high - half;
    return least < most ? std::clamp(static_cast<double>(cell), least, most) : static_cast<double>(cell);
  };
  const double x = inside(seen.column_of(token), figure.x.fit), y = inside(seen.row_of(token), figure.y.fit);
  for (const auto& [reach, colour] : {std::pair{half + gap, Role::inverse}, std::pair{half, role}}) {
    Box box;
    box.x = {x - reach, x + reach};
    box.y = {y - reach, y + reach};
    box.role = colour;
    box.style.slot = kTargetSlot;
    figure.boxes.push_back(box);
  }
}

}  // namespace ropescope
