#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "app/figure/scene_parts.h"

namespace ropescope {

namespace {

// In ems of the tick labels.
constexpr double kTallestName = 7;
constexpr double kNameGap = 0.9;
constexpr double kRoomyName = 5.5;  ///< names with as much room lie, cut where one of them is longer
/// Fewer numbers are each worth being named.
constexpr std::size_t kFewNumbers = 8;

/// A number as people read it; NaN for any other text.
double number_of_scene_names(std::string text) {
  constexpr std::string_view kThinSpace = "\u2009", kNarrowSpace = "\u202f", kMinus = "\u2212";
  for (const std::string_view space : {kThinSpace, kNarrowSpace}) {
    for (std::size_t at; (at = text.find(space)) != std::string::npos;) text.erase(at, space.size());
  }
  const bool negative = text.starts_with(kMinus);
  if (negative) text.erase(0, kMinus.size());
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nan("");
  return negative ? -value : value;
}

/// Many names that are ascending numbers, as the values of a knob: nobody wants to read each of them.
struct CountedNames {
  std::vector<double> values;
  bool logarithmic = false;  ///< the steps between them are more alike there

  double value_at(double place) const {
    const double first = std::clamp(std::floor(place), 0.0, static_cast<double>(values.size()) - 2);
    const double low = values[static_cast<std::size_t>(first)], high = values[static_cast<std::size_t>(first) + 1];
    return logarithmic ? low * std::pow(high / low, place - first) : low + (high - low) * (place - first);
  }
  double place_of(double value) const {
    const auto above = std::upper_bound(values.begin() + 1, values.end() - 1, value);
    const double low = *(above - 1), high = *above, first = static_cast<double>(above - 1 - values.begin());
    return first + (logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low));
  }
};

double unevenness(const std::vector<double>& values, double (*of)(double)) {
  const double mean = (of(values.back()) - of(values.front())) / static_cast<double>(values.size() - 1);
  double sum = 0;
  for (std::size_t i = 1; i < values.size(); ++i) sum += std::abs(of(values[i]) - of(values[i - 1]) - mean);
  return sum / mean;
}

std::optional<CountedNames> counted_names(const FigureAxis& axis) {
  if (axis.names.size() <= kFewNumbers) return std::nullopt;
  CountedNames counted;
  for (const std::string& name : axis.names) {
    const double value = number_of_scene_names(name);
    const bool ascends = counted.values.empty() ? std::isfinite(value) : value > counted.values.back();
    if (!ascends) return std::nullopt;
    counted.values.push_back(value);
  }
  const auto plain = [](double value) { return value; };
  const auto logarithm = [](double value) { return std::log(value); };
  counted.logarithmic =
      counted.values.front() > 0 && unevenness(counted.values, logarithm) < unevenness(counted.values, plain);
  return counted;
}

}  // namespace

bool has_words(const FigureAxis& axis) {
  return !axis.names.empty() && !counted_names(axis);
}

std::vector<Tick> axis_ticks(const FigureAxis& axis, double length, double gap, TickLabels labels) {
  const std::optional<CountedNames> names = counted_names(axis);
  if (!names) return make_ticks(axis, length, gap, labels);
  const Range range = drawable_range(axis.range, AxisScale::linear);
  FigureAxis counted;
  counted.range = {names->value_at(range.low), names->value_at(range.high)};
  counted.scale = names->logarithmic ? AxisScale::log : AxisScale::linear;
  counted.whole =
      std::all_of(names->values.begin(), names->values.end(), [](double value) { return value == std::round(value); });
  std::vector<Tick> ticks;
  // Where the steps are not alike, ticks stand nearer than they should.
  double last = -HUGE_VAL;
  for (Tick tick : make_ticks(counted, length, gap, labels)) {
    tick.value = names->place_of(tick.value);
    if (tick.value < range.low || tick.value > range.high) continue;
    const double at = (tick.value - range.low) / (range.high - range.low) * length;
    if (!tick.label.empty() && at - last < gap / 2) tick.label.clear();
    if (!tick.label.empty()) last = at;
    ticks.push_back(std::move(tick));
  }
  return ticks;
}

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
  if (!has_words(axis)) return 0;
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
