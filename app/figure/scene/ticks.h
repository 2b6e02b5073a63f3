// Axes as scales between values and pixels, ticks at round numbers, and curves traced to the pixel. scene.h lays
// figures out with them; the window zooms and pans by them.
#pragma once

#include <string>
#include <vector>

#include "app/figure/figure.h"

namespace ropescope {

// --- Axis ----------------------------------------------------------------------------------------------------------

/// Maps an axis to pixels (or points) and back: low and high are the coordinates of range.low and range.high
/// (for a y axis high < low, as y grows downwards). A log axis shows only positive values.
struct AxisMap {
  Range range;
  AxisScale scale = AxisScale::linear;
  double low = 0, high = 1;

  /// NaN for a value ≤ 0 on a log axis; the middle where the range is empty.
  double to_pixel(double value) const;
  /// Exactly range.low at low and range.high at high.
  double to_value(double pixel) const;
};

/// The range as it can be drawn: finite, low < high, wide enough for its labels to differ, positive on a log axis.
/// A range that already is comes back unchanged.
Range drawable_range(Range range, AxisScale scale);

/// Zooms (the value at `pixel` stays there, the range becomes `factor` times as long) and pans (what is drawn moves by
/// `pixels`) in the axis' own scale; results stay finite, ordered and, on a log axis, positive: where they would not,
/// the range comes back as it was.
Range zoom(const AxisMap& map, double pixel, double factor);
Range pan(const AxisMap& map, double pixels);

// --- Ticks ---------------------------------------------------------------------------------------------------------

struct Tick {
  double value = 0;
  std::string label;  ///< empty for a minor tick
  bool major = true;
};

/// How powers of ten are written. automatic: they are written out ("10 000") while all labels lie in 1e-4…1e6; powers:
/// always as "10⁴".
enum class TickLabels { automatic, powers };

/// Ticks at round numbers (1, 2, 5 × 10^k; powers of ten and their 2…9 as minor ticks on a log axis; symlog: mirrored
/// decades and 0), ascending. Labelled ones stand at least minimum_gap apart (but two of them half the length), at
/// least two where the range allows it; a whole axis has ticks at integers only. All labels of a linear axis but a
/// plain "0" have the same number of decimals.
std::vector<Tick> make_ticks(const FigureAxis& axis, double length, double minimum_gap,
                             TickLabels labels = TickLabels::automatic);

// --- Traces --------------------------------------------------------------------------------------------------------

/// A series reduced for drawing: where values are further apart than a column each is a vertex of its own
/// (minimum = mean = maximum); where several fall into one column they become one vertex at its middle with their exact
/// minimum, mean, maximum.
struct TraceVertex {
  double x = 0;  ///< pixels
  double minimum = 0, mean = 0, maximum = 0;
  bool operator==(const TraceVertex&) const = default;
};
/// Traces a series along an axis, in pieces between NaN gaps. One value beyond each edge of the range is kept, so that
/// lines reach the edge.
std::vector<std::vector<TraceVertex>> trace(const Series& series, const AxisMap& x, double column);

}  // namespace ropescope
