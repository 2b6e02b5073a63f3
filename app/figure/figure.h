#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/series.h"

namespace ropescope {

enum class AxisScale { linear, log, symlog };  ///< symlog: linear within ±1, logarithmic beyond

struct Range {
  double low = 0, high = 1;
  bool operator==(const Range&) const = default;
};

struct FigureAxis {
  std::string name;   ///< machine name, a column of the CSV: "distance", "similarity", "abel_bound"
  std::string label;  ///< what stands beside the axis, unit included: "relative distance Δ (tokens)"
  Range range;        ///< what is shown
  Range fit;          ///< what a double click shows: all of the data
  AxisScale scale = AxisScale::linear;
  bool whole = false;     ///< only whole numbers have a meaning: ticks and picked values are integers
  std::string range_key;  ///< field that keeps a zoomed range in the experiment, e.g. "decay.distance_range"
};

/// How a line is told apart: the slot picks colour and dash together (five Okabe–Ito colours, five dashes; then other
/// combinations). Faint lines (an envelope) are thinner and half transparent in the same colour.
struct LineStyle {
  int slot = 0;
  bool faint = false;
};

struct Line {
  std::string key;    ///< names the line in `hidden` lists and CSV headers: "current", "pin1", "current.envelope"
  std::string label;  ///< legend entry
  LineStyle style;
  std::shared_ptr<const Series> series;
  bool in_legend = true;
};

struct Points {
  std::string key, label;
  LineStyle style;
  std::vector<double> xs, ys;
  std::vector<std::string> names;  ///< beside each point; may be empty
};

enum class Role { text, secondary, faint, accent, line, curve };

/// A vertical or horizontal line across the plot with a label at its end.
struct Rule {
  bool vertical = true;
  double at = 0;
  std::string label;
  bool dashed = true;
  Role role = Role::secondary;
  LineStyle style;  ///< colour where role is curve
};

/// A shaded stretch of one axis behind the curves: pairs that a method keeps, bases that allow a context.
struct Span {
  bool vertical = true;  ///< a stretch of the x axis over the whole height; false: of the y axis over the whole width
  double low = 0, high = 0;
  LineStyle style;          ///< colour, 12 % opaque (6 % where faint)
  Role role = Role::curve;  ///< other roles take their own colour
  std::string label;        ///< at the bottom of the stretch, where it fits
};

/// Plain data a person could read; every painter (screen, SVG, PDF, PNG, CSV, JSON) draws the same figure.
struct Figure {
  std::string name;   ///< "similarity", "bound": file names and `--figure`
  std::string title;  ///< above the plot; may be empty
  FigureAxis x, y;
  std::vector<Line> lines;
  std::vector<Points> points;
  std::vector<Rule> rules;
  std::vector<Span> spans;
  /// For figures over pairs: per line, the frequency (radians per position) at each x. The card at the crosshair then
  /// shows a clock that turns as the pair does. Empty elsewhere.
  std::vector<Eigen::VectorXd> clocks;
  bool zero_line = false;
  bool legend = false;  ///< a window names its lines inside the plot: they are not the ropes of the chips above it
  std::string empty_message;  ///< shown in the middle where there is nothing to draw: says what to do
  bool stale = false;         ///< a newer one is being computed
};

/// One figure of a view and its share of the height.
struct Panel {
  Figure figure;
  double height_share = 1;
};

/// A number said in words under the plot.
struct Readout {
  std::string key;      ///< "first_negative"
  std::string label;    ///< "First negative similarity"
  std::string value;    ///< "1 707", as shown
  std::string note;     ///< a sentence: what it means, and how the first pinned experiment compares
  std::string tooltip;  ///< formula and source
};

/// All that a view shows for one experiment.
struct ViewResult {
  std::vector<Panel> panels;  ///< panels with equal x.name share (link) their x axis
  std::vector<Readout> readouts;
  bool stale = false;
  std::string status;  ///< for the status line: "131 072 distances × 64 pairs · 3 ms"
};

}  // namespace ropescope
