#include "core/decay/limits_answers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "core/decay/base_walk.h"
#include "core/decay/limits_search.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

double nearest_decimal(double value, int digits) {
  std::array<char, 40> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.*e", digits - 1, value);
  double read = 0;
  std::from_chars(text.data(), text.data() + length, read);
  return read;
}

namespace {

/// Looks along which a window is proven to go on.
constexpr int kProofSteps = 1000;
/// What lies nearer to an edge is its rounding; from there on a proof begins.
constexpr double kOffEdge = 2e-13;
/// Neighbouring decimal numbers that are tried before one more digit is.
constexpr int kNeighbours = 4;

/// The next one above or below a decimal number of so many digits.
double next_decimal(double value, int digits, bool upwards) {
  const double unit = std::pow(10, std::floor(std::log10(value)) + 1 - digits);
  const double next = nearest_decimal(value + (upwards ? unit : -unit), digits);
  // With 16 and 17 digits the doubles are what is told apart.
  return next != value ? next : std::nextafter(value, upwards ? HUGE_VAL : 0);
}

}  // namespace

bool base_holds(int rotary_dim, double base, std::int64_t context, int threads, std::stop_token stop) {
  require_search({.rotary_dim = rotary_dim, .context = context, .lowest = base, .highest = base});
  return !first_negative_distance(plain_frequencies(rotary_dim, base), context, threads, stop);
}

std::optional<RoundedBase> rounded_base(const BaseWindow& window, bool upwards, int digits,
                                        const std::function<bool(double)>& holds) {
  for (; digits <= 17; ++digits) {
    double value = nearest_decimal(upwards ? window.low : window.high, digits);
    for (int tried = 0; tried < kNeighbours;) {
      const bool before = upwards ? value < window.low : value > window.high;
      if (!before && (upwards ? value > window.high : value < window.low)) break;
      if (!before && holds(value)) return RoundedBase{value, digits};
      if (!before) ++tried;
      value = next_decimal(value, digits, upwards);
    }
  }
  return std::nullopt;
}

namespace {

/// What is proven and shown of the window that begins at ln b = edge.
std::optional<SmallestWindow> window_from(const BaseSearch& search, long double edge, const std::stop_token& stop) {
  SmallestWindow found;
  found.exact = std::clamp(static_cast<double>(std::exp(edge)), search.lowest, search.highest);
  BaseWalk walk(search.rotary_dim, search.context, stop);
  const double begin = static_cast<double>(edge) + kOffEdge;
  const BaseWalk::Held held = walk.held_from(begin, std::log(search.highest), kProofSteps);
  const auto holds = [&](double base) {
    return base_holds(search.rotary_dim, base, search.context, search.threads, stop);
  };
  const double until = held.until < std::log(search.highest) ? std::exp(held.until) : search.highest;
  const BaseWindow open{found.exact, std::clamp(until, found.exact, search.highest)};
  const auto low = rounded_base(open, true, kLongBase, holds), high = rounded_base(open, false, kLongBase, holds);
  if (stop.stop_requested() || !low || !high) return std::nullopt;
  found.window = {low->value, high->value};
  found.ends = held.ends;
  // What is written with more digits lies in the window as well.
  found.rounded = rounded_base(found.window, true, kShortBase, holds).value_or(*low);
  found.rounded_high = rounded_base(found.window, false, kShortBase, holds).value_or(*high);
  return found;
}

}  // namespace

std::optional<SmallestWindow> smallest_window(const BaseSearch& search, std::stop_token stop) {
  require_search(search);
  BaseSearch rest = search;
  while (rest.lowest <= search.highest) {
    const std::optional<long double> edge = smallest_admissible(rest, stop);
    if (!edge) return std::nullopt;
    const auto found = window_from(rest, *edge, stop);
    if (found || stop.stop_requested()) return found;
    rest.lowest = static_cast<double>(std::exp(*edge)) * (1 + kSmallestStep);
  }
  return std::nullopt;
}

std::optional<ShakenContext> shaken_context(double base, const std::function<Eigen::VectorXd(double)>& ladder,
                                            std::int64_t limit, int threads, std::stop_token stop) {
  constexpr int kSteps = 20;
  ShakenContext worst{base, std::nullopt};
  std::int64_t until = limit;
  for (int step = -kSteps; step <= kSteps && !stop.stop_requested(); ++step) {
    const double moved = nearest_decimal(base * std::pow(1.01, static_cast<double>(step) / kSteps), kLongBase);
    if (moved <= 1) continue;
    // One that fails no earlier than the worst so far says nothing new.
    const auto negative = first_negative_distance(ladder(moved), until, threads, stop);
    if (negative) worst = {moved, negative}, until = *negative - 1;
  }
  return stop.stop_requested() ? std::nullopt : std::optional(worst);
}

}  // namespace ropescope
