#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/store/store.h"
#include "app/views/limits/inputs.h"

namespace ropescope {

/// The curve of largest contexts over bases, as far as it has been computed.
struct LimitCurve {
  std::vector<LimitPoint> points;  ///< by ascending base; empty where nothing is there yet
  int chunks = 0, finished = 0;    ///< of the shown range
  bool complete() const { return finished == chunks; }
};

struct LimitCurveRequest {
  std::string slot;  ///< whose curve it is: chunks of an earlier dimension stand in meanwhile
  int rotary_dim = 128;
  Range shown, fit;  ///< of the base axis, both above 1
  std::int64_t farthest = 1;
};

/// About 4 096 … 8 192 bases of the shown range, chunk by chunk from the store: where the plot is zoomed in, bases
/// stand closer, and until they are there those of the whole axis are shown.
LimitCurve limit_curve_of(const LimitCurveRequest& request, Store& store);

/// More points, by ascending base, among those of the curve.
void add_points(LimitCurve& curve, const std::vector<LimitPoint>& points);
/// The curve as a line.
std::shared_ptr<const Series> series_of(const LimitCurve& curve);

/// Stretches of bases that allow the context, as far as the points show them: each reaches half way to its neighbours.
std::vector<Range> admissible_windows(const std::vector<LimitPoint>& points, double context);

}  // namespace ropescope
