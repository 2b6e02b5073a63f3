#include <algorithm>
#include <cmath>

#include "app/figure/scene_parts.h"

namespace ropescope {

namespace {

/// Grows by a pixel; NaN does not count.
void take(LineExtent& extent, double pixel) {
  if (std::isnan(pixel)) return;
  extent.top = std::isnan(extent.top) ? pixel : std::min(extent.top, pixel);
  extent.bottom = std::isnan(extent.bottom) ? pixel : std::max(extent.bottom, pixel);
}

/// Where the stroke between two neighbours is at a pixel of x; NaN where there is none.
double scene_samples_between(const Frame& frame, const Series& series, std::size_t after, double x) {
  if (after == 0 || after >= series.ys.size()) return std::nan("");
  const double x0 = frame.x.to_pixel(series.x_at(after - 1)), x1 = frame.x.to_pixel(series.x_at(after));
  const double y0 = frame.y.to_pixel(series.ys[after - 1]), y1 = frame.y.to_pixel(series.ys[after]);
  return x0 == x1 ? y0 : y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

}  // namespace

LineExtent extent_of(const Frame& frame, const Series& series, double left, double right) {
  LineExtent extent{std::nan(""), std::nan("")};
  const double a = frame.x.to_value(left), b = frame.x.to_value(right);
  const std::size_t begin = lower_index(series, std::min(a, b)), end = lower_index(series, std::max(a, b));
  take(extent, scene_samples_between(frame, series, a <= b ? begin : end, left));
  take(extent, scene_samples_between(frame, series, a <= b ? end : begin, right));
  const Summary summary = summarise(series, begin, end);
  if (summary.count == 0) return extent;
  const double lowest = frame.y.to_pixel(summary.minimum);
  take(extent, frame.y.to_pixel(summary.maximum));
  // A log axis has no place for a minimum ≤ 0: the band goes on beyond the plot.
  take(extent, std::isnan(lowest) ? frame.y.low : lowest);
  return extent;
}

CurveSamples::CurveSamples(const SceneContext& context)
    : left_(context.frame.plot.left), step_(context.options.text_size / 2) {
  const Frame& frame = context.frame;
  const int columns = static_cast<int>(std::max(frame.plot.width, 0.0) / step_) + 1;
  for (const Line& line : context.figure.lines) {
    std::vector<LineExtent>& extents = lines_.emplace_back();
    if (!line.series || line.series->ys.empty()) continue;
    for (int column = 0; column < columns; ++column) {
      const double left = left_ + step_ * column, right = std::min(left + step_, frame.plot.right());
      extents.push_back(extent_of(frame, *line.series, left, right));
    }
  }
  for (const Rule& rule : context.figure.rules) {
    (rule.vertical ? upright_ : across_).push_back((rule.vertical ? frame.x : frame.y).to_pixel(rule.at));
  }
}

int CurveSamples::hidden_by(const Rect& box, std::size_t but) const {
  const auto column_of = [&](double x) {
    return static_cast<std::size_t>(std::max(0.0, std::floor((x - left_) / step_)));
  };
  const std::size_t first = column_of(box.left), last = column_of(box.right());
  int count = 0;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (i == but) continue;
    for (std::size_t column = first; column <= last && column < lines_[i].size(); ++column) {
      count += lines_[i][column].bottom >= box.top && lines_[i][column].top <= box.bottom() ? 1 : 0;
    }
  }
  for (const double y : across_) count += y >= box.top && y <= box.bottom() ? static_cast<int>(last - first) + 1 : 0;
  for (const double x : upright_) {
    count += x >= box.left && x <= box.right() ? static_cast<int>(std::ceil(box.height / step_)) : 0;
  }
  return count;
}

}  // namespace ropescope
