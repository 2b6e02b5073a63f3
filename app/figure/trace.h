#pragma once

#include <vector>

#include "app/figure/series.h"
#include "app/figure/ticks.h"

namespace ropescope {

/// A series reduced for drawing: where values are further apart than a column each is a vertex of its own
/// (minimum = mean = maximum); where several fall into one column they become one vertex at its middle with their exact
/// minimum, mean, maximum.
struct TraceVertex {
  double x = 0;  ///< pixels
  double minimum = 0, mean = 0, maximum = 0;
  bool operator==(const TraceVertex&) const = default;
};
/// Pieces between NaN gaps. One value beyond each edge of the range is kept, so that lines reach the edge.
std::vector<std::vector<TraceVertex>> trace(const Series& series, const AxisMap& x, double column);

}  // namespace ropescope
