// Values and pixels of axes, ticks, and traces of series.
//
// Contents: Axis; Ticks; Traces.

#include "app/figure/scene/ticks.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/figure/figure.h"

namespace ropescope {

// --- Axis ----------------------------------------------------------------------------------------------------------

namespace {

constexpr double kLargest = 1e300, kSmallestDrawable = 1e-300;
constexpr double kNarrowest = 1e-11;  ///< share of the larger end: leaves doubles some thousand steps across the plot

/// Returns the axis' own coordinate: linear, log10, or symlog, where ±1 are a decade from 0.
double forward(double value, AxisScale scale) {
  switch (scale) {
    case AxisScale::linear:
      return value;
    case AxisScale::log:
      return value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
    case AxisScale::symlog:
      return std::abs(value) <= 1 ? value : std::copysign(1 + std::log10(std::abs(value)), value);
  }
  return value;
}

double backward(double coordinate, AxisScale scale) {
  switch (scale) {
    case AxisScale::linear:
      return coordinate;
    case AxisScale::log:
      return std::pow(10, coordinate);
    case AxisScale::symlog:
      return std::abs(coordinate) <= 1 ? coordinate : std::copysign(std::pow(10, std::abs(coordinate) - 1), coordinate);
  }
  return coordinate;
}

bool is_drawable(const Range& range, AxisScale scale) {
  if (!std::isfinite(range.low) || !std::isfinite(range.high) || !(range.low < range.high)) return false;
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  if (size > kLargest || range.high - range.low < std::max(kNarrowest * size, kSmallestDrawable)) return false;
  return scale != AxisScale::log || range.low >= kSmallestDrawable;
}

/// Returns the range between two coordinates of the axis, if it can be drawn.
Range to_drawable_range(const AxisMap& map, double low, double high) {
  const Range range{backward(low, map.scale), backward(high, map.scale)};
  return is_drawable(range, map.scale) ? range : map.range;
}

// --- Ticks ---------------------------------------------------------------------------------------------------------

constexpr int kMaxSteps = 1000;

/// A round step m·10^exponent with m of 1, 2, 5.
struct Step {
  int factor = 1;
  int exponent = 0;
  double size() const { return factor * std::pow(10, exponent); }
  /// Returns n·step with a single rounding, so 3 × 0.1 is 0.3.
  double times(double n) const {
    return exponent < 0 ? n * factor / std::pow(10, -exponent) : n * factor * std::pow(10, exponent);
  }
  Step finer() const {
    if (factor == 5) return {2, exponent};
    return factor == 2 ? Step{1, exponent} : Step{5, exponent - 1};
  }
  Step coarser() const {
    if (factor == 1) return {2, exponent};
    return factor == 2 ? Step{5, exponent} : Step{1, exponent + 1};
  }
};

/// Labelled values and their format.
struct Labelled {
  std::vector<double> values;
  std::optional<int> exponent;  ///< exponent of the step, if all have the same number of decimals
};

/// Input of the searches below: the axis over its length, and the minimum distance of labels.
struct TicksSearch {
  AxisMap map;
  double gap;
  bool whole;

  bool shows(double value) const {
    // Ends must be shown although a product may miss them by rounding.
    const double slack = 1e-6 * std::abs(map.high - map.low);
    const double pixel = map.to_pixel(value);
    return pixel >= map.low - slack && pixel <= map.high + slack && !(whole && value != std::round(value));
  }
  void keep_shown(std::vector<double>& values) const {
    values.erase(std::remove_if(values.begin(), values.end(), [&](double v) { return !shows(v); }), values.end());
  }
  bool fits(const std::vector<double>& values) const {
    for (std::size_t i = 1; i < values.size(); ++i) {
      if (map.to_pixel(values[i]) - map.to_pixel(values[i - 1]) < gap * (1 - 1e-9)) return false;
    }
    return true;
  }
  bool good(const std::vector<double>& values) const { return values.size() >= 2 && fits(values); }
};

std::vector<double> multiples(const Step& step, const Range& range) {
  const double first = std::ceil(range.low / step.size() - 1e-6), last = std::floor(range.high / step.size() + 1e-6);
  std::vector<double> values;
  if (!(last - first <= kMaxSteps)) return values;
  for (double n = first; n <= last; ++n) {
    const double value = step.times(n) + 0.0;  // + 0.0: no negative zero
    if (values.empty() || value > values.back()) values.push_back(value);
  }
  return values;
}

/// Returns multiples of the finest round step whose labels keep their gap everywhere; else every second multiple of a
/// finer one, with 0, if there are three; else its outermost two.
Labelled steps_over(const TicksSearch& search, const Range& range) {
  const double span = range.high - range.low;
  // On a linear axis nothing finer can fit; on a nonlinear scale, coarser steps are tried in order.
  const double finest = span / kMaxSteps * 4;
  Step step{1, static_cast<int>(std::floor(std::log10(finest)))};
  while (step.size() < finest) step = step.coarser();
  if (search.whole && step.exponent < 0) step = {1, 0};
  for (; step.size() <= 2 * span; step = step.coarser()) {
    std::vector<double> values = multiples(step, range);
    search.keep_shown(values);
    if (search.good(values)) return {values, step.exponent};
    if (values.size() < 2) break;
  }
  for (step = step.finer(); step.size() > finest; step = step.finer()) {
    if (search.whole && step.exponent < 0) break;
    std::vector<double> values = multiples(step, range);
    search.keep_shown(values);
    if (values.size() < 2) continue;
    std::vector<double> even;
    for (const double value : values) {
      if (std::fmod(std::round(value / step.size()), 2) == 0) even.push_back(value);
    }
    if (even.size() > 2 && search.good(even)) return {even, step.exponent};
    values = {values.front(), values.back()};
    if (search.good(values)) return {values, step.exponent};
  }
  std::vector<double> values = multiples(step, range);
  search.keep_shown(values);
  if (values.size() > 1) values.resize(1);
  return {values, step.exponent};
}

/// Returns factors × 10^k over the positive range.
std::vector<double> decade_values(const Range& range, std::initializer_list<int> factors, int every = 1) {
  std::vector<double> values;
  const int first = static_cast<int>(std::floor(std::log10(range.low) - 1e-9));
  const int last = static_cast<int>(std::ceil(std::log10(range.high) + 1e-9));
  for (int k = first; k <= last; ++k) {
    if (k % every != 0) continue;
    for (const int factor : factors) values.push_back(Step{factor, k}.times(1));
  }
  return values;
}

Labelled log_labels(const TicksSearch& search) {
  const Range& range = search.map.range;
  const double decades = std::log10(range.high) - std::log10(range.low);
  const auto attempt = [&](std::initializer_list<int> factors, int every) {
    std::vector<double> values = decade_values(range, factors, every);
    search.keep_shown(values);
    return values;
  };
  if (decades < 0.35) return steps_over(search, range);
  // With one or two powers of ten visible, their 2 and 5 are labelled too.
  if (attempt({1}, 1).size() < 3) {
    for (const auto& factors : {std::initializer_list<int>{1, 2, 5}, {1, 3}}) {
      if (const auto values = attempt(factors, 1); search.good(values)) return {values, {}};
    }
  }
  const int most = static_cast<int>(decades) + 2;
  for (const int every : {1, 2, 3, 5, 10, 20, 50, 100, 200}) {
    if (every > most) break;
    if (const auto values = attempt({1}, every); search.good(values)) return {values, {}};
  }
  // Two decades that are not multiples of a common stride, or less than two of them.
  std::vector<double> all = attempt({1}, 1);
  if (all.size() > 2) all = {all.front(), all.back()};
  if (search.good(all)) return {all, {}};
  Labelled stepped = steps_over(search, range);
  if (stepped.values.size() >= 2 || all.empty()) return stepped;
  return {{all.front()}, {}};
}

std::vector<double> add_mirrored(std::vector<double> values, bool with_zero) {
  const std::size_t size = values.size();
  for (std::size_t i = 0; i < size; ++i) values.push_back(-values[i]);
  if (with_zero) values.push_back(0);
  std::sort(values.begin(), values.end());
  return values;
}

Labelled symlog_labels(const TicksSearch& search) {
  const Range& range = search.map.range;
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  if (size <= 1) return steps_over(search, range);
  std::vector<double> values;
  for (int every = 1; every < 320; ++every) {
    // 1 is one decade from 0, so every third label of the axis is 0, 100, 100 000.
    std::vector<double> decades;
    for (int k = every - 1; k <= static_cast<int>(std::log10(size) + 1e-9); k += every) {
      decades.push_back(Step{1, k}.times(1));
    }
    decades = add_mirrored(decades, true);
    search.keep_shown(decades);
    if (search.good(decades)) {
      values = decades;
      break;
    }
    if (decades.size() < 2) break;
    if (values.empty()) values = {decades.front(), decades.back()};  // unless a wider stride gives more
    if (!search.good(values)) values.clear();
  }
  const auto enrich = [&](std::vector<double> more) {
    more.insert(more.end(), values.begin(), values.end());
    std::sort(more.begin(), more.end());
    more.erase(std::unique(more.begin(), more.end()), more.end());
    search.keep_shown(more);
    if (search.good(more)) values = more;
  };
  // The linear middle gets its own steps if it is a large part of the axis.
  const Range middle{std::max(range.low, -1.0), std::min(range.high, 1.0)};
  const bool wide = search.map.to_pixel(middle.high) - search.map.to_pixel(middle.low) > 0.3 * search.map.high;
  for (const Step step : {Step{1, -1}, Step{2, -1}, Step{5, -1}}) {
    const std::size_t before = values.size();
    if (wide) enrich(multiples(step, middle));
    if (values.size() > before) break;
  }
  if (values.size() < 4) enrich(add_mirrored(decade_values({1, size}, {1, 2, 5}), false));
  if (values.size() >= 2) return {values, {}};
  return steps_over(search, range);
}

/// Returns unlabelled grid lines of a log or symlog axis, as many as can be distinguished.
std::vector<double> minor_values(const TicksSearch& search, double pixels_per_decade) {
  const Range& range = search.map.range;
  const bool log = search.map.scale == AxisScale::log;
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  if (!log && size <= 1) return {};
  const Range positive{log ? range.low : 1, size};
  std::vector<double> values;
  if (pixels_per_decade >= 60) {
    values = decade_values(positive, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  } else if (pixels_per_decade >= 24) {
    values = decade_values(positive, {1, 2, 5});
  } else if (pixels_per_decade >= 4) {
    values = decade_values(positive, {1});
  }
  if (!log) values.erase(std::remove_if(values.begin(), values.end(), [](double v) { return v < 1; }), values.end());
  return log ? values : add_mirrored(values, false);
}

int exponent_of(double value) {
  return value == 0 ? 0 : static_cast<int>(std::floor(std::log10(value) + 1e-9));
}

/// Returns labels with the same number of decimals: plain, or with one common power of ten if numbers are huge or tiny.
std::vector<std::string> equal_decimals(const Labelled& labelled, int largest_plain) {
  double size = 0;
  for (const double value : labelled.values) size = std::max(size, std::abs(value));
  const int exponent = exponent_of(size);
  const int step_exponent = *labelled.exponent;
  const bool scientific = exponent > largest_plain || exponent < -4;
  const int decimals = std::max(0, (scientific ? exponent : 0) - step_exponent);
  std::vector<std::string> texts;
  for (const double value : labelled.values) {
    const double mantissa = scientific ? value / std::pow(10, exponent) : value;
    std::string text = value == 0 ? "0" : readable_fixed(mantissa, decimals);
    if (scientific && value != 0) text += " × " + power_of_ten(exponent);
    texts.push_back(text);
  }
  return texts;
}

/// Returns labels of a log or symlog axis, each as short as possible: 0.01, 2, 1 000; or all as 2 × 10⁴, 10⁵, except
/// those as short as a power: 1, 20 and, in the linear middle of a symlog axis, 0.2.
std::vector<std::string> own_decimals(const std::vector<double>& values, AxisScale scale, TickLabels labels) {
  const double least_plain = scale == AxisScale::symlog ? 0 : 1;
  bool powers = labels == TickLabels::powers;
  for (const double value : values) powers |= value != 0 && (std::abs(value) >= 1e7 || std::abs(value) < 0.99e-4);
  std::vector<std::string> texts;
  for (const double value : values) {
    const double size = std::abs(value);
    if (!powers || value == 0 || (size >= least_plain && size < 100)) {
      texts.push_back(readable_number(value, 4));
      continue;
    }
    const int exponent = exponent_of(size);
    const std::string factor = readable_fixed(size / std::pow(10, exponent), 0);
    const std::string sign = value < 0 ? "\u2212" : "";
    texts.push_back(sign + (factor == "1" ? "" : factor + " × ") + power_of_ten(exponent));
  }
  return texts;
}

// --- Traces --------------------------------------------------------------------------------------------------------

/// Returns the first index whose x is above the value (ys.size() if none).
std::size_t upper_index(const Series& series, double value) {
  std::size_t index = lower_index(series, value);
  while (index < series.ys.size() && series.x_at(index) <= value) ++index;
  return index;
}

/// Collects vertices into pieces: a gap ends a piece, the next vertex begins another.
struct TracePieces {
  std::vector<std::vector<TraceVertex>> all;
  bool open = false;
  bool parted = false;  ///< the previous column had a gap

  /// Starts a column. A gap within it counts as a gap up to the next whole column: a line that goes to infinity and
  /// returns from the other side is not joined by its remains there.
  void begin_column(bool holds_gap) {
    if (holds_gap != parted) gap();
    parted = holds_gap;
  }
  void add(const TraceVertex& vertex) {
    if (!open) all.emplace_back();
    all.back().push_back(vertex);
    open = true;
  }
  void gap() { open = false; }
  void add_sample(const Series& series, std::size_t index, const AxisMap& x) {
    begin_column(false);
    const double y = series.ys[index];
    const double pixel = x.to_pixel(series.x_at(index));
    if (std::isnan(y) || std::isnan(pixel)) return gap();
    add({pixel, y, y, y});
  }
};

/// Mirrors the pieces: a reversed axis shows the same columns in the other direction.
std::vector<std::vector<TraceVertex>> trace_mirrored(std::vector<std::vector<TraceVertex>> pieces, double sum) {
  for (std::vector<TraceVertex>& piece : pieces) {
    for (TraceVertex& vertex : piece) vertex.x = sum - vertex.x;
  }
  return pieces;
}

}  // namespace

double AxisMap::to_pixel(double value) const {
  const double from = forward(range.low, scale), to = forward(range.high, scale);
  if (!(from < to)) return (low + high) / 2;
  return low + (forward(value, scale) - from) / (to - from) * (high - low);
}

double AxisMap::to_value(double pixel) const {
  const double from = forward(range.low, scale), to = forward(range.high, scale);
  if (pixel == low || low == high || !(from < to)) return range.low;
  if (pixel == high) return range.high;
  return backward(from + (pixel - low) / (high - low) * (to - from), scale);
}

Range drawable_range(Range range, AxisScale scale) {
  if (is_drawable(range, scale)) return range;
  const bool log = scale == AxisScale::log;
  const bool infinite = std::isinf(range.low) || std::isinf(range.high);
  if (std::isnan(range.low) || std::isnan(range.high) || (infinite && !(range.low < range.high))) {
    return log ? Range{1, 10} : Range{0, 1};
  }
  if (range.high < range.low) std::swap(range.low, range.high);
  const bool endless = std::isinf(range.low);
  range = {std::clamp(range.low, -kLargest, kLargest), std::clamp(range.high, -kLargest, kLargest)};
  if (log) {
    if (range.high <= 10 * kSmallestDrawable) return {1, 10};
    const double share = endless ? 1 / kLargest : 1e-6;
    if (range.low < kSmallestDrawable) range.low = std::max(range.high * share, kSmallestDrawable);
  }
  if (is_drawable(range, scale)) return range;
  const double middle = range.low + (range.high - range.low) / 2;
  if (log) return {middle / 1.5, middle * 1.5};
  // A single value gets space around it; a range too narrow for doubles only as much as they need.
  const double share = range.low == range.high ? 0.05 : kNarrowest;
  const double half = middle == 0 ? 1 : std::max(std::abs(middle) * share, 10 * kSmallestDrawable);
  return {middle - half, middle + half};
}

Range zoom(const AxisMap& map, double pixel, double factor) {
  if (factor == 1 || map.low == map.high) return map.range;
  const double from = forward(map.range.low, map.scale), to = forward(map.range.high, map.scale);
  const double fixed = from + (pixel - map.low) / (map.high - map.low) * (to - from);
  return to_drawable_range(map, fixed - (fixed - from) * factor, fixed + (to - fixed) * factor);
}

Range pan(const AxisMap& map, double pixels) {
  if (pixels == 0 || map.low == map.high) return map.range;
  const double from = forward(map.range.low, map.scale), to = forward(map.range.high, map.scale);
  const double shift = pixels / (map.high - map.low) * (to - from);
  return to_drawable_range(map, from - shift, to - shift);
}

std::vector<Tick> make_ticks(const FigureAxis& axis, double length, double minimum_gap, TickLabels labels) {
  if (!(length > 0) || !std::isfinite(length)) return {};
  const Range range = drawable_range(axis.range, axis.scale);
  const TicksSearch search{
      {range, axis.scale, 0, length}, std::min(std::max(minimum_gap, 1.0), length / 2), axis.whole};
  Labelled labelled;
  double pixels_per_decade = 0;
  if (axis.scale == AxisScale::linear) {
    labelled = steps_over(search, range);
  } else if (axis.scale == AxisScale::log) {
    labelled = log_labels(search);
    pixels_per_decade = length / (std::log10(range.high) - std::log10(range.low));
  } else {
    labelled = symlog_labels(search);
    const double decade_from = std::max({1.0, std::abs(range.low), std::abs(range.high)});
    pixels_per_decade = std::abs(search.map.to_pixel(10 * decade_from) - search.map.to_pixel(decade_from));
  }
  const bool linear = axis.scale == AxisScale::linear;
  const std::vector<std::string> texts = labelled.exponent ? equal_decimals(labelled, labels == TickLabels::powers ? 3
                                                                                      : linear                     ? 8
                                                                                                                   : 6)
                                                           : own_decimals(labelled.values, axis.scale, labels);
  std::vector<Tick> ticks;
  for (std::size_t i = 0; i < texts.size(); ++i) ticks.push_back({labelled.values[i], texts[i], true});
  if (!linear) {
    std::vector<double> minor = minor_values(search, pixels_per_decade);
    search.keep_shown(minor);
    for (const double value : minor) {
      const auto near = [&](double v) { return std::abs(search.map.to_pixel(v) - search.map.to_pixel(value)) < 0.5; };
      if (std::none_of(labelled.values.begin(), labelled.values.end(), near)) ticks.push_back({value, "", false});
    }
    std::sort(ticks.begin(), ticks.end(), [](const Tick& a, const Tick& b) { return a.value < b.value; });
  }
  if (axis.counted) {
    std::erase_if(
        ticks, [&axis](const Tick& tick) { return tick.value < axis.counted->low || tick.value > axis.counted->high; });
  }
  return ticks;
}

std::vector<std::vector<TraceVertex>> trace(const Series& series, const AxisMap& x, double column) {
  if (x.high < x.low) return trace_mirrored(trace(series, {x.range, x.scale, x.high, x.low}, column), x.low + x.high);
  TracePieces pieces;
  const double width = x.high - x.low;
  if (series.ys.empty() || !(x.range.low < x.range.high) || !(width > 0) || !(column > 0)) return {};

  const std::size_t first = lower_index(series, x.range.low);
  const std::size_t last = upper_index(series, x.range.high);
  if (first > 0) pieces.add_sample(series, first - 1, x);

  const auto columns = static_cast<std::size_t>(std::ceil(width / column));
  std::size_t begin = first;
  for (std::size_t i = 0; i < columns && begin < last; ++i) {
    const double left = x.low + static_cast<double>(i) * column;
    const double right = std::min(left + column, x.high);
    // The edges of the range are used exactly: a value on them must not be lost to rounding.
    const std::size_t end = i + 1 == columns ? last : std::clamp(lower_index(series, x.to_value(right)), begin, last);
    if (end == begin + 1) pieces.add_sample(series, begin, x);
    if (end > begin + 1) {
      const Summary summary = summarise(series, begin, end);
      if (summary.count == 0) {
        pieces.begin_column(false);
        pieces.gap();
      } else {
        pieces.begin_column(summary.count < end - begin);
        pieces.add({(left + right) / 2, summary.minimum, summary.mean, summary.maximum});
      }
    }
    begin = end;
  }
  if (last < series.ys.size()) pieces.add_sample(series, last, x);
  return pieces.all;
}

}  // namespace ropescope
