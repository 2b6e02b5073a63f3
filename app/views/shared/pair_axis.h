#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <string>
#include <vector>

#include "app/resources/text.h"
#include "app/views/shared/zoomed_axis.h"

namespace ropescope {

/// The axis over the pairs 0 … most − 1 of the longest of several ladders; `view` names its label and range field.
inline FigureAxis pair_axis(const std::string& view, Eigen::Index most, const std::optional<Range>& zoomed,
                            const Text& text) {
  FigureAxis axis;
  axis.name = "pair";
  axis.label = text["view." + view + ".pair"];
  axis.whole = true;
  axis.fit = {0, static_cast<double>(std::max<Eigen::Index>(most, 2) - 1)};
  axis.range_key = view + ".pair_range";
  zoom(axis, zoomed);
  return axis;
}

}  // namespace ropescope
