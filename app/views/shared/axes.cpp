#include "app/views/shared/axes.h"

#include <algorithm>
#include <utility>

#include "app/figure/ticks.h"

namespace ropescope {

namespace {

/// Room around numbers near the largest that a double holds goes beyond it: then as far as can be drawn.
void set_fit(FigureAxis& axis, const Range& fit) {
  const bool finite = std::isfinite(fit.low) && std::isfinite(fit.high);
  axis.fit = finite ? fit : drawable_range(fit, axis.scale);
}

}  // namespace

std::string axis_word(const std::string& name, const Text& text) {
  const std::string key = "option.layout.axis." + name;
  return text.has(key) ? text[key] : name;
}

FigureAxis named_axis(const std::string& view, const std::string& name, const Text& text, AxisScale scale,
                      const std::string& kept) {
  const std::string label = "view." + view + "." + name;
  FigureAxis axis;
  axis.name = name;
  if (text.has(label)) axis.label = text[label];
  axis.scale = scale;
  axis.range_key = view + "." + (kept.empty() ? name : kept) + "_range";
  return axis;
}

FigureAxis data_axis(FigureAxis axis, const Range& fit, const std::optional<Range>& zoomed) {
  set_fit(axis, fit);
  const Range wanted = zoomed.value_or(axis.fit);
  axis.range = {std::max(wanted.low, axis.fit.low), std::min(wanted.high, axis.fit.high)};
  if (!(axis.range.low < axis.range.high)) axis.range = axis.fit;
  return axis;
}

FigureAxis value_axis(FigureAxis axis, const Range& fit, const std::optional<Range>& zoomed) {
  set_fit(axis, fit);
  axis.range = zoomed.value_or(axis.fit);
  if (axis.scale == AxisScale::log && axis.range.low <= 0) {
    axis.range.low = axis.range.high > axis.fit.low ? axis.fit.low : axis.range.high / 10;
  }
  if (!(axis.range.low < axis.range.high)) axis.range = axis.fit;
  return axis;
}

FigureAxis fixed_axis(FigureAxis axis, const Range& range) {
  set_fit(axis, range);
  axis.range = axis.fit;
  axis.range_key.clear();
  return axis;
}

FigureAxis cell_axis(FigureAxis axis, const Range& cells, const std::optional<Range>& zoomed) {
  axis.whole = true;
  return data_axis(std::move(axis), cells, zoomed);
}

FigureAxis pair_axis(const std::string& view, std::ptrdiff_t most, const std::optional<Range>& zoomed,
                     const Text& text) {
  const Range pairs{0, static_cast<double>(std::max<std::ptrdiff_t>(most, 2) - 1)};
  return cell_axis(named_axis(view, "pair", text), pairs, zoomed);
}

void include(Range& range, double value) {
  if (!std::isfinite(value)) return;
  range.low = std::min(range.low, value);
  range.high = std::max(range.high, value);
}

Range with_room(const Range& range, double share, double least) {
  if (!(range.low <= range.high)) return {0, 1};
  double room = std::max(share * (range.high - range.low), least);
  if (!(room > 0)) room = 0.5 * std::max(std::abs(range.high), 1e-3);
  return {range.low - room, range.high + room};
}

Range widened(Range range, const Series& series) {
  const Summary all = summarise(series, 0, series.ys.size());
  if (all.count == 0) return range;
  return {std::min(range.low, all.minimum), std::max(range.high, all.maximum)};
}

Range widened(Range range, const std::vector<Line>& lines) {
  for (const Line& line : lines) range = widened(range, *line.series);
  return range;
}

}  // namespace ropescope
