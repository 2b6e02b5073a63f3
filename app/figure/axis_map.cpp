#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/figure/ticks.h"

namespace ropescope {

namespace {

constexpr double kLargest = 1e300, kAxisMapSmallest = 1e-300;
constexpr double kNarrowest = 1e-11;  ///< of the larger end: leaves doubles some thousand steps across the plot

/// The axis' own coordinate: linear, log10, or symlog, where ±1 stand a decade beside 0.
double forward(double value, AxisScale scale) {
  switch (scale) {
    case AxisScale::linear:
      return value;
    case AxisScale::log:
      return value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
    case AxisScale::symlog:
      return std::abs(value) <= 1 ? value : std::copysign(1 + std::log10(std::abs(value)), value);
  }
  return value;
}

double backward(double coordinate, AxisScale scale) {
  switch (scale) {
    case AxisScale::linear:
      return coordinate;
    case AxisScale::log:
      return std::pow(10, coordinate);
    case AxisScale::symlog:
      return std::abs(coordinate) <= 1 ? coordinate : std::copysign(std::pow(10, std::abs(coordinate) - 1), coordinate);
  }
  return coordinate;
}

bool is_drawable(const Range& range, AxisScale scale) {
  if (!std::isfinite(range.low) || !std::isfinite(range.high) || !(range.low < range.high)) return false;
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  if (size > kLargest || range.high - range.low < std::max(kNarrowest * size, kAxisMapSmallest)) return false;
  return scale != AxisScale::log || range.low >= kAxisMapSmallest;
}

/// The range between two coordinates of the axis, if it can be drawn.
Range axis_map_between(const AxisMap& map, double low, double high) {
  const Range range{backward(low, map.scale), backward(high, map.scale)};
  return is_drawable(range, map.scale) ? range : map.range;
}

}  // namespace

double AxisMap::to_pixel(double value) const {
  const double from = forward(range.low, scale), to = forward(range.high, scale);
  if (!(from < to)) return (low + high) / 2;
  return low + (forward(value, scale) - from) / (to - from) * (high - low);
}

double AxisMap::to_value(double pixel) const {
  const double from = forward(range.low, scale), to = forward(range.high, scale);
  if (pixel == low || low == high || !(from < to)) return range.low;
  if (pixel == high) return range.high;
  return backward(from + (pixel - low) / (high - low) * (to - from), scale);
}

Range drawable_range(Range range, AxisScale scale) {
  if (is_drawable(range, scale)) return range;
  const bool log = scale == AxisScale::log;
  const bool infinite = std::isinf(range.low) || std::isinf(range.high);
  if (std::isnan(range.low) || std::isnan(range.high) || (infinite && !(range.low < range.high))) {
    return log ? Range{1, 10} : Range{0, 1};
  }
  if (range.high < range.low) std::swap(range.low, range.high);
  const bool endless = std::isinf(range.low);
  range = {std::clamp(range.low, -kLargest, kLargest), std::clamp(range.high, -kLargest, kLargest)};
  if (log) {
    if (range.high <= 10 * kAxisMapSmallest) return {1, 10};
    const double share = endless ? 1 / kLargest : 1e-6;
    if (range.low < kAxisMapSmallest) range.low = std::max(range.high * share, kAxisMapSmallest);
  }
  if (is_drawable(range, scale)) return range;
  const double middle = range.low + (range.high - range.low) / 2;
  if (log) return {middle / 1.5, middle * 1.5};
  // A single value gets room around it; a range too narrow for doubles only as much as they need.
  const double share = range.low == range.high ? 0.05 : kNarrowest;
  const double half = middle == 0 ? 1 : std::max(std::abs(middle) * share, 10 * kAxisMapSmallest);
  return {middle - half, middle + half};
}

Range zoom(const AxisMap& map, double pixel, double factor) {
  if (factor == 1 || map.low == map.high) return map.range;
  const double from = forward(map.range.low, map.scale), to = forward(map.range.high, map.scale);
  const double fixed = from + (pixel - map.low) / (map.high - map.low) * (to - from);
  return axis_map_between(map, fixed - (fixed - from) * factor, fixed + (to - fixed) * factor);
}

Range pan(const AxisMap& map, double pixels) {
  if (pixels == 0 || map.low == map.high) return map.range;
  const double from = forward(map.range.low, map.scale), to = forward(map.range.high, map.scale);
  const double shift = pixels / (map.high - map.low) * (to - from);
  return axis_map_between(map, from - shift, to - shift);
}

}  // namespace ropescope
