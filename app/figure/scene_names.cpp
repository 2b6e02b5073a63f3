#include <algorithm>
#include <cmath>

#include "app/figure/scene_parts.h"

namespace ropescope {

namespace {

// In ems of the tick labels.
constexpr double kTallestName = 7;
constexpr double kNameGap = 0.9;
constexpr double kRoomyName = 5.5;  ///< names with as much room lie, cut where one of them is longer

}  // namespace

std::vector<Tick> name_ticks(const FigureAxis& axis, double length, double gap) {
  const Range range = drawable_range(axis.range, axis.scale);
  const double per_name = length / (range.high - range.low);
  if (!(per_name > 0)) return {};
  const double first = std::max(0.0, std::ceil(range.low - 1e-9));
  const double last = std::min(static_cast<double>(axis.names.size()) - 1, std::floor(range.high + 1e-9));
  const double stride = std::max(1.0, std::ceil(gap / per_name - 1e-9));
  std::vector<Tick> ticks;
  for (double k = stride * std::ceil(first / stride); k <= last; k += stride) {
    const std::string& name = axis.names[static_cast<std::size_t>(k)];
    if (!name.empty()) ticks.push_back({k, name, true});
  }
  return ticks;
}

double upright_names_height(const FigureAxis& axis, double width, const FigureOptions& options,
                            const MeasureText& measure) {
  if (axis.names.empty()) return 0;
  const TextStyle style{options.text_size, FontWeight::regular};
  const Range range = drawable_range(axis.range, axis.scale);
  const double plot = 0.85 * width;  // the margins are not known yet
  const double per_name = plot / (range.high - range.low);
  double widest = 0;
  for (const Tick& tick : name_ticks(axis, plot, 1.15 * measure("0", style).y)) {
    widest = std::max(widest, measure(tick.label, style).x);
  }
  if (widest + kNameGap * options.text_size <= per_name || per_name >= kRoomyName * options.text_size) return 0;
  return std::min(widest, kTallestName * options.text_size);
}

void fit_x_names(std::vector<Tick>& ticks, const Frame& frame, const FigureOptions& options,
                 const MeasureText& measure) {
  const TextStyle style{options.text_size, FontWeight::regular};
  const bool upright = frame.names_height > 0;
  double apart = frame.plot.width;
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    apart = std::min(apart, std::abs(frame.x.to_pixel(ticks[i].value) - frame.x.to_pixel(ticks[i - 1].value)));
  }
  const double room = upright ? frame.names_height : apart - kNameGap * options.text_size;
  double last_right = -1e300;
  for (Tick& tick : ticks) {
    tick.label = elided(tick.label, style, room, measure);
    if (tick.label.empty()) continue;
    const Rect box = box_of(x_tick_label(tick, frame, options, measure), measure);
    if (box.left < last_right || box.left < frame.rect.left || box.right() > frame.rect.right()) {
      tick.label.clear();
    } else {
      last_right = box.right();
    }
  }
}

}  // namespace ropescope
