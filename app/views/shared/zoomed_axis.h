#pragma once

#include <algorithm>
#include <optional>

#include "app/figure/figure.h"

namespace ropescope {

/// Shows the zoomed range of an axis as far as it lies within its fit; the fit where nothing of it does.
inline void zoom(FigureAxis& axis, const std::optional<Range>& zoomed) {
  axis.range = zoomed.value_or(axis.fit);
  axis.range = {std::max(axis.range.low, axis.fit.low), std::min(axis.range.high, axis.fit.high)};
  if (!(axis.range.low < axis.range.high)) axis.range = axis.fit;
}

}  // namespace ropescope
