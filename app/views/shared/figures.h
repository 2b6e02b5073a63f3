// Figure parts shared by all views: axes, marks, maps, and frames of an animation. Read app/figure/figure.h first.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/experiment/sweeps.h"
#include "app/figure/figure.h"
#include "app/figure/pages/page.h"
#include "app/resources/text.h"
#include "app/store/store.h"
#include "core/machine.h"

namespace ropescope {

// --- Zoomed ranges -------------------------------------------------------------------------------------------------

/// Returns the zoomed range stored in the field `key` (FigureAxis::range_key); nullopt for an unknown or empty key.
std::optional<Range> zoomed_range(const Experiment& experiment, std::string_view key);

// --- Figures -------------------------------------------------------------------------------------------------------

Figure named_figure(const std::string& name, const std::string& title = {});

/// Returns a line over first, first + 1, … through numbers.
std::shared_ptr<const Series> series_of(const Eigen::VectorXd& numbers, double first = 0);
std::shared_ptr<const Series> series_of(const std::vector<float>& numbers, double first = 0);

// --- Axes ----------------------------------------------------------------------------------------------------------

/// Returns the display name of an axis of positions: "row"; `name` itself if it is the user's own.
inline std::string axis_word(const std::string& name, const Text& text) {
  const std::string key = "option.layout.axis." + name;
  return text.has(key) ? text[key] : name;
}

/// Creates the axis NAME of a view, labelled "view.VIEW.NAME" if there is such a text. The field "VIEW.KEPT_range"
/// stores its zoomed range (with `kept` empty, KEPT is `name`).
FigureAxis named_axis(const std::string& view, const std::string& name, const Text& text,
                      AxisScale scale = AxisScale::linear, const std::string& kept = {});

// Each takes the zooms of the axis's view, which contain its zoomed range by FigureAxis::range_key; {}: none.

/// Completes an axis along the data: shows the part of the zoomed range within the data's range, or the fit if they do
/// not overlap. A zoomed range is thus kept when the span changes.
FigureAxis data_axis(FigureAxis axis, const Range& fit, const Zooms& zooms);
/// Completes an axis of values: shows any range; a logarithmic axis shows its part above 0.
FigureAxis value_axis(FigureAxis axis, const Range& fit, const Zooms& zooms);
/// Completes such an axis with this zoomed range; nullopt: none.
FigureAxis zoomed_value_axis(FigureAxis axis, const Range& fit, const std::optional<Range>& zoomed);
/// Completes an axis that cannot be zoomed: no field stores its range.
FigureAxis fixed_axis(FigureAxis axis, const Range& range);

/// Completes an axis on which only integers have a meaning: cells, pairs, positions, distances.
FigureAxis cell_axis(FigureAxis axis, const Range& cells, const Zooms& zooms);
/// Completes an axis of distances up to `span` from 0, or from 1 on a logarithmic axis.
FigureAxis distance_axis(FigureAxis axis, double span, const Zooms& zooms);
/// Returns the range of `count` cells, the first of which is centred at `first`.
template <class Count>
Range cell_range(Count count, double first = 0) {
  return {first - 0.5, first + static_cast<double>(count) - 0.5};
}
/// Returns an axis of the pairs 0 … most − 1 of the longest of several ladders.
FigureAxis pair_axis(const std::string& view, std::ptrdiff_t most, const Zooms& zooms, const Text& text);

/// Returns the powers of ten that enclose a range of positive numbers.
inline Range decades(const Range& range) {
  return {std::pow(10, std::floor(std::log10(range.low))), std::pow(10, std::ceil(std::log10(range.high)))};
}
/// An empty range: the first included number becomes both of its ends.
inline constexpr Range kNoRange{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
/// Widens the range to include a value if it is finite.
void include(Range& range, double value);
/// Returns the range of the finite numbers in a list or a matrix.
template <class Values>
Range range_of(const Values& values) {
  Range range = kNoRange;
  for (const auto value : values) include(range, static_cast<double>(value));
  return range;
}
/// Returns the range from the lower to the upper end of both.
inline Range both(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}
/// Returns the range from 0 to slightly above the largest value; from 0 to 1 if that is 0.
inline Range from_zero(double most, double headroom = 1.08) {
  return {0, most > 0 ? headroom * most : 1};
}
/// Extends a range on both sides by a share of its length, but at least by `least`; if all values are equal, by half
/// their size. Returns 0 to 1 if there is no value.
Range add_margin(const Range& range, double share, double least = 0);
/// Returns `range` extended to all finite values of the series.
Range widened(Range range, const Series& series);
Range widened(Range range, const std::vector<Line>& lines);

// --- Marks ---------------------------------------------------------------------------------------------------------

/// Adds a vertical line across the figure with a label.
Rule& add_rule(Figure& figure, double at, const std::string& label, Role role = Role::secondary,
               const LineStyle& style = {});
/// Adds a horizontal line across the figure with a label.
Rule& add_level(Figure& figure, double at, const std::string& label, Role role = Role::secondary);

/// Labels a line with words in its colour, at a fraction of the shown x axis.
void name_line(Figure& figure, const Line& line, double along, const std::string& words);
/// Labels the lines of a legend next to them, so that none is needed: each with its own label, at the first of these
/// fractions at which it has a value. On pages they are in the legend.
void name_lines(Figure& figure, const std::vector<double>& along);
/// Returns a label at x and y: by default its centre is there.
Label label_at(double x, double y, const std::string& words, Role role = Role::text, double anchor_x = 0.5,
               double anchor_y = 0.5);
/// Shades an interval of the x axis, with a label at its bottom.
void add_span(Figure& figure, const Range& interval, const std::string& label, Role role = Role::secondary,
              const LineStyle& style = {});

/// Marks the selected row of a map: with a frame if rows are large enough to be distinguished, otherwise with a line.
void mark_row(Figure& figure, double row);

// --- Drawings ------------------------------------------------------------------------------------------------------

/// Returns the range from `reach` below the middle to `reach` above it.
inline Range around(double middle, double reach) {
  return {middle - reach, middle + reach};
}

Points points_of(const std::string& key, const LineStyle& style);
Path path_of(const std::string& key, Role role, double width = 1);
Path path_of(const std::string& key, const LineStyle& style, double width = 1);
void add_point(Path& path, double x, double y);
void add_point(Points& points, double x, double y);
/// Interrupts a path: its next point begins another line.
void lift(Path& path);

/// A part of the circle around x, y in radians, counter-clockwise; by default all of it.
struct Arc {
  double x = 0, y = 0, radius = 1, from = 0, angle = 2 * std::numbers::pi;
};
/// Adds an arc as a number of straight steps.
void add_arc(Path& path, const Arc& arc, int steps);

/// Returns an arrow from 0 with a label at its tip.
Arrow arrow_to(const std::string& key, const Eigen::Vector2d& tip, const std::string& label, const LineStyle& style);

// --- Maps ----------------------------------------------------------------------------------------------------------

/// Returns the number of items per cell with which all items fit into MapCells::kMax cells.
std::int64_t items_per_cell(std::int64_t count);
/// Returns the cells of a grid without values: one cell per number, or per several if there are too many. `by` names
/// the reduction within a cell, see MapReduction.
MapCells cells_over(std::int64_t columns, std::int64_t rows, const char* by = "mean");
/// Returns the numbers of a matrix, one cell each.
std::shared_ptr<const MapCells> cells_of(const RowMatrixXd& matrix);

/// The position and scale at which a map's cells are drawn: x = place.x + place.scale · column.
struct CellPlace {
  double x = 0, y = 0, scale = 1;
};
/// Sets the extents of a map that has its cells; in a reduced map the last cell extends past the last item.
void reach_cells(Map& map, const CellPlace& place = {});

/// Returns the map of a matrix, whose exact entries it keeps, in colours up to ± `most`, or from 0 if none is negative.
Map matrix_map(const std::string& key, const std::string& label, const RowMatrixXd& matrix, bool is_signed, double most,
               const CellPlace& place);

/// Returns the matrix entry at a point, with rows and columns counted from `first`; NaN outside the matrix.
template <class Cell>
double entry_at(const RowMatrix<Cell>& matrix, double x, double y, double first = 0) {
  const double column = std::round(x) - first, row = std::round(y) - first;
  const bool inside = row >= 0 && column >= 0 && row < static_cast<double>(matrix.rows()) &&
                      column < static_cast<double>(matrix.cols());
  if (!inside) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(matrix(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column)));
}

/// Returns the largest absolute value of the finite numbers; 0 if there is none.
template <class Values>
double largest_size(const Values& values) {
  double most = 0;
  for (const auto value : values) {
    if (std::isfinite(value)) most = std::max(most, std::abs(static_cast<double>(value)));
  }
  return most;
}

// --- Animation -----------------------------------------------------------------------------------------------------

/// A view whose fields step through their values, drawn frame by frame as by `render`.
struct Animation {
  Experiment experiment;
  std::vector<Variation> moved;  ///< between the ends of each, all together
  std::size_t frames = 2;
  bool there_and_back = false;
};

/// Options for drawing the frames of an animation.
struct FramePaint {
  PageFormat format = PageFormat::png;
  PageSize size = {};
  ThemeName theme = ThemeName::dark;
  std::function<ViewResult(ViewResult)> chosen = {};  ///< selects figures of the view; empty: all
};

/// Returns the bytes of every frame in order; the store must be synchronous. Calls `progress` with the number drawn so
/// far. Returns fewer frames if `stop` was requested. Throws InputError if a view has nothing to show.
std::vector<std::string> draw_frames(const Animation& animation, const FramePaint& paint, const Text& text,
                                     Store& store, const std::stop_token& stop,
                                     const std::function<void(std::size_t)>& progress);

}  // namespace ropescope
