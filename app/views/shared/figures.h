// What figures of views share: axes, marks, maps, and frames of an animation. Read app/figure/figure.h before.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
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

/// What the field of a zoomed range holds (FigureAxis::range_key); none for no such field, or an empty key.
std::optional<Range> zoomed_range(const Experiment& experiment, std::string_view key);

// --- Axes ----------------------------------------------------------------------------------------------------------

/// What an axis of positions is called: "row"; the name itself where somebody gave it.
std::string axis_word(const std::string& name, const Text& text);

/// The axis NAME of a view: labelled "view.VIEW.NAME" where there is such a text, its zoomed range kept by the field
/// "VIEW.KEPT_range" (`kept` empty: by that of its own name).
FigureAxis named_axis(const std::string& view, const std::string& name, const Text& text,
                      AxisScale scale = AxisScale::linear, const std::string& kept = {});

/// An axis along the data: shows the zoomed range as far as it lies within what there is of them, the fit where nothing
/// of it does. A zoomed range outlives a change of span that way.
FigureAxis data_axis(FigureAxis axis, const Range& fit, const std::optional<Range>& zoomed);
/// An axis of values: shows any range; on a logarithmic axis its part above 0.
FigureAxis value_axis(FigureAxis axis, const Range& fit, const std::optional<Range>& zoomed);
/// An axis that is not zoomed: nothing keeps its range.
FigureAxis fixed_axis(FigureAxis axis, const Range& range);

/// An axis over cells, shown whole or as far as zoomed: only whole numbers have a meaning.
FigureAxis cell_axis(FigureAxis axis, const Range& cells, const std::optional<Range>& zoomed);
/// The range of this many cells, the first of which is around `first`.
template <class Count>
Range cell_range(Count count, double first = 0) {
  return {first - 0.5, first + static_cast<double>(count) - 0.5};
}
/// The pairs 0 … most − 1 of the longest of several ladders.
FigureAxis pair_axis(const std::string& view, std::ptrdiff_t most, const std::optional<Range>& zoomed,
                     const Text& text);

/// The powers of ten around a range of positive numbers.
inline Range decades(const Range& range) {
  return {std::pow(10, std::floor(std::log10(range.low))), std::pow(10, std::ceil(std::log10(range.high)))};
}
/// A range without a number yet: the first one that is included is both its ends.
inline constexpr Range kNoRange{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
/// Widens the range to a value, where that is finite.
void include(Range& range, double value);
/// The range of the finite numbers of a list or a matrix.
template <class Values>
Range range_of(const Values& values) {
  Range range = kNoRange;
  for (const auto value : values) include(range, static_cast<double>(value));
  return range;
}
/// The range from 0 to a little above the largest value; from 0 to 1 where that is 0.
inline Range from_zero(double most, double headroom = 1.08) {
  return {0, most > 0 ? headroom * most : 1};
}
/// A range with a share of its length, but at least `least`, added on both sides; around values that are all the same
/// half their size. 0 to 1 where there is no value.
Range with_room(const Range& range, double share, double least = 0);
/// The range that `range` and all finite values of the series need.
Range widened(Range range, const Series& series);
Range widened(Range range, const std::vector<Line>& lines);

// --- Marks ---------------------------------------------------------------------------------------------------------

/// Adds a vertical line across the figure with a label.
Rule& add_rule(Figure& figure, double at, const std::string& label, Role role = Role::secondary,
               const LineStyle& style = {});
/// Adds a horizontal line across the figure with a label.
Rule& add_level(Figure& figure, double at, const std::string& label, Role role = Role::secondary);

/// Puts words at a line, at a share of the shown x axis, in the line's colour.
void name_line(Figure& figure, const Line& line, double along, const std::string& words);
/// A label of words whose middle stands at x and y.
Label label_at(double x, double y, const std::string& words, Role role = Role::text);

/// Marks the row of a map that is looked at: a frame where rows can be told apart, else a line.
void mark_row(Figure& figure, double row);

// --- Maps ----------------------------------------------------------------------------------------------------------

/// How many items share a cell, so that MapCells::kMost cells hold all of them.
std::int64_t items_per_cell(std::int64_t count);
/// The cells of a grid, without their values: one for each number, or for several where there are too many. `by`: what
/// a cell holds of them, see MapReduction.
MapCells cells_over(std::int64_t columns, std::int64_t rows, const char* by = "mean");
/// The numbers of a matrix, a cell each.
std::shared_ptr<const MapCells> cells_of(const RowMatrixXd& matrix);

/// Where the cells of a map are drawn: x = place.x + place.scale · column.
struct CellPlace {
  double x = 0, y = 0, scale = 1;
};
/// Sets the extents of a map whose cells are there: the last cell of a reduced one reaches past the last item.
void reach_cells(Map& map, const CellPlace& place = {});

/// The number of a matrix at a place, its rows and columns counted from `first`; NaN beside it.
template <class Cell>
double entry_at(const RowMatrix<Cell>& matrix, double x, double y, double first = 0) {
  const double column = std::round(x) - first, row = std::round(y) - first;
  const bool inside = row >= 0 && column >= 0 && row < static_cast<double>(matrix.rows()) &&
                      column < static_cast<double>(matrix.cols());
  if (!inside) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(matrix(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column)));
}

/// The largest size of the finite numbers; 0 where there is none.
template <class Values>
double largest_size(const Values& values) {
  double most = 0;
  for (const auto value : values) {
    if (std::isfinite(value)) most = std::max(most, std::abs(static_cast<double>(value)));
  }
  return most;
}

// --- Animation -----------------------------------------------------------------------------------------------------

/// A view while some of its fields go through their values: frame by frame what `render` draws of them.
struct Animation {
  Experiment experiment;
  std::vector<Sweep> sweeps;  ///< all at once
  std::size_t frames = 2;
  bool there_and_back = false;
};

/// How the frames of an animation are drawn.
struct FramePaint {
  PageFormat format = PageFormat::png;
  PageSize size = {};
  ThemeName theme = ThemeName::dark;
  std::function<ViewResult(ViewResult)> chosen = {};  ///< which figures of the view; none: all
};

/// The bytes of every frame in turn; the store computes what they show and must be synchronous. `progress` is told how
/// many are drawn. Fewer than all where `stop` was requested. Throws InputError where a view has nothing to show.
std::vector<std::string> draw_frames(const Animation& animation, const FramePaint& paint, const Text& text,
                                     Store& store, const std::stop_token& stop,
                                     const std::function<void(std::size_t)>& progress);

}  // namespace ropescope
