// Axis scales between values and pixels, ticks at round numbers, and curves traced at pixel resolution. Used by scene.h
// for layout and by the window for zooming and panning.
#pragma once

#include <string>
#include <vector>

#include "app/figure/figure.h"

namespace ropescope {

// --- Axis ----------------------------------------------------------------------------------------------------------

/// Maps an axis to pixels (or points) and back: low and high are the coordinates of range.low and range.high (on a y
/// axis high < low because y grows downwards). A log axis shows only positive values.
struct AxisMap {
  Range range;
  AxisScale scale = AxisScale::linear;
  double low = 0, high = 1;

  /// Returns the pixel of a value: NaN for a value ≤ 0 on a log axis; the middle if the range is empty.
  double to_pixel(double value) const;
  /// Returns the value at a pixel: exactly range.low at low and range.high at high.
  double to_value(double pixel) const;
};

/// Returns the range in drawable form: finite, low < high, wide enough for labels to differ, positive on a log axis. A
/// drawable range is returned unchanged.
Range drawable_range(Range range, AxisScale scale);

/// Zoom (the value at `pixel` stays there, the range becomes `factor` times as long) and pan (the drawing moves by
/// `pixels`) in the scale of the axis. Results are finite, ordered and, on a log axis, positive; if they cannot be, the
/// range is returned unchanged.
Range zoom(const AxisMap& map, double pixel, double factor);
Range pan(const AxisMap& map, double pixels);

// --- Ticks ---------------------------------------------------------------------------------------------------------

struct Tick {
  double value = 0;
  std::string label;  ///< empty for a minor tick
  bool major = true;
};

/// How powers of ten are written. automatic: in full ("10 000") while all labels are in 1e-4…1e6; powers: always as
/// "10⁴".
enum class TickLabels { automatic, powers };

/// Returns ticks at round numbers (1, 2, 5 × 10^k; powers of ten and their 2…9 as minor ticks on a log axis; symlog:
/// mirrored decades and 0), ascending. Labelled ticks are at least minimum_gap apart (half the length of the axis if
/// there are only two), at least two if the range allows it. A whole axis has ticks at integers only. All labels of a
/// linear axis except a plain "0" have the same number of decimals.
std::vector<Tick> make_ticks(const FigureAxis& axis, double length, double minimum_gap,
                             TickLabels labels = TickLabels::automatic);

// --- Traces --------------------------------------------------------------------------------------------------------

/// A series reduced for drawing: values more than a column apart become one vertex each (minimum = mean = maximum).
/// Several values in one column become one vertex at its middle with their exact minimum, mean and maximum.
struct TraceVertex {
  double x = 0;  ///< pixels
  double minimum = 0, mean = 0, maximum = 0;
  bool operator==(const TraceVertex&) const = default;
};
/// Traces a series along an axis, in pieces between NaN gaps. One value beyond each edge of the range is kept, so lines
/// reach the edge.
std::vector<std::vector<TraceVertex>> trace(const Series& series, const AxisMap& x, double column);

}  // namespace ropescope
