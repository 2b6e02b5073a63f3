#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/resources/text.h"

namespace ropescope {

/// "row": what an axis of positions is called; the name itself where somebody gave it.
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
/// Both ends of this many cells, the first of which is around `first`.
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
/// The finite numbers of a list or a matrix.
template <class Values>
Range range_of(const Values& values) {
  Range range = kNoRange;
  for (const auto value : values) include(range, static_cast<double>(value));
  return range;
}
/// From 0 to a little above the largest value; a stretch of 1 where that is 0.
inline Range from_zero(double most, double headroom = 1.08) {
  return {0, most > 0 ? headroom * most : 1};
}
/// With a share of its length, but at least `least`, on both sides; around values that are all the same half their
/// size. 0 to 1 where there is none.
Range with_room(const Range& range, double share, double least = 0);
/// What `range` and all finite values of the series need.
Range widened(Range range, const Series& series);
Range widened(Range range, const std::vector<Line>& lines);

}  // namespace ropescope
