#pragma once

#include <string>
#include <vector>

#include "app/figure/figure.h"

namespace ropescope {

/// Maps an axis to pixels (or points) and back: low and high are the coordinates of range.low and range.high
/// (for a y axis high < low, as y grows downwards). A log axis shows only positive values.
struct AxisMap {
  Range range;
  AxisScale scale = AxisScale::linear;
  double low = 0, high = 1;

  double to_pixel(double value) const;
  double to_value(double pixel) const;
};

struct Tick {
  double value = 0;
  std::string label;  ///< empty for a minor tick
  bool major = true;
};

/// Ticks at round numbers (1, 2, 5 × 10^k; powers of ten and their 2…9 as minor ticks on a log axis; symlog: mirrored
/// decades and 0). At most `length / minimum_gap` labelled ones, at least two where the range allows it. All labels of a linear axis have the same number of decimals.
std::vector<Tick> make_ticks(const FigureAxis& axis, double length, double minimum_gap);

/// Zooms and pans in the axis' own scale; results stay finite, ordered and, on a log axis, positive.
Range zoom(const AxisMap& map, double pixel, double factor);
Range pan(const AxisMap& map, double pixels);

}  // namespace ropescope
