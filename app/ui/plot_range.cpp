#include "app/ui/plot_range.h"

#include <algorithm>
#include <cmath>

#include "app/experiment/partial_fields.h"

namespace ropescope::ui {

namespace {

/// Finds the range field of a key and sets it.
class RangeSetter : public PartialFields {
 public:
  RangeSetter(std::string_view key, std::optional<Range> value) : key_(key), value_(value) {}
  void range(const RangeField& field, std::optional<Range>& value) override {
    if (field.key == key_) value = value_;
  }

 private:
  std::string_view key_;
  std::optional<Range> value_;
};

void store_range(Experiment& experiment, const FigureAxis& axis, std::optional<Range> range) {
  RangeSetter setter(axis.range_key, range);
  describe(setter, experiment);
}

constexpr double kNarrowestDistances = 4;  ///< a narrower window of whole numbers shows nothing
constexpr double kLargestValue = 1e12, kNarrowestValues = 1e-9;

}  // namespace

void set_axis_range(Experiment& experiment, const FigureAxis& axis, Range range) {
  if (!std::isfinite(range.low) || !std::isfinite(range.high) || !(range.low < range.high)) return;
  if (axis.whole) {
    range = {std::max(range.low, axis.fit.low), std::min(range.high, axis.fit.high)};
    if (range.high - range.low < kNarrowestDistances) return;
  } else {
    if (std::max(std::abs(range.low), std::abs(range.high)) > kLargestValue) return;
    if (range.high - range.low < kNarrowestValues) return;
    if (axis.scale == AxisScale::log && range.low <= 0) return;
  }
  if (range == axis.fit) {
    store_range(experiment, axis, std::nullopt);
  } else {
    store_range(experiment, axis, range);
  }
}

void clear_axis_range(Experiment& experiment, const FigureAxis& axis) {
  store_range(experiment, axis, std::nullopt);
}

void fit_axes(Experiment& experiment, const Figure& figure) {
  clear_axis_range(experiment, figure.x);
  clear_axis_range(experiment, figure.y);
}

Range pan_within(const AxisMap& map, double pixels, const FigureAxis& axis) {
  const double direction = map.high > map.low ? 1 : -1;
  // In pixels of this map: how far the shown range may move before an end of the data enters the plot.
  const double room_low = (map.to_pixel(axis.fit.low) - map.low) * direction;
  const double room_high = (map.to_pixel(axis.fit.high) - map.high) * direction;
  const double wanted = pixels * direction;
  const double allowed = std::clamp(wanted, std::min(0.0, -room_high), std::max(0.0, -room_low));
  return pan(map, allowed * direction);
}

double picked_distance(const Figure& figure, double x) {
  if (!figure.lines.empty() && !figure.lines.front().series->ys.empty()) {
    const Series& series = *figure.lines.front().series;
    return series.x_at(nearest_index(series, x));
  }
  return figure.x.whole ? std::clamp(std::round(x), figure.x.fit.low, figure.x.fit.high) : x;
}

}  // namespace ropescope::ui
