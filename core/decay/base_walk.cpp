#include "core/decay/base_walk.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ropescope {

namespace {

/// Edges of windows are known to this part; what is closer than the second is not told apart.
constexpr double kEdge = 1e-9, kFinest = 1e-13;
/// The distance that was taken last is taken again, without looking for others, while it lasts for this part of its
/// first stretch.
constexpr double kAgain = 0.2;
/// Otherwise the longest of so many failing distances is taken,
constexpr int kCandidates = 4;
/// which are looked for from this part of the context before the last one on: what fails now lies near what failed
/// before, as the slow pairs change little,
constexpr std::int64_t kBackPart = 100;
/// first among those that fail by this much of √(pairs/2), the standard deviation of a sum far out: they last longer.
constexpr double kDeep = 0.25;
/// Sums below a level are followed one by one: so many of them are wanted.
constexpr int kFewFollowed = 16, kManyFollowed = 128;

/// f, f', D and M of the comment on BaseWalk.
struct Slopes {
  double f = 0, slope = 0, largest_slope = 0, largest_curvature = 0;
};
Slopes slopes_of(std::span<const double> frequencies, std::int64_t distance) {
  const double m = static_cast<double>(distance);
  const double per_pair = 1 / static_cast<double>(frequencies.size());  // 2i/d = i/n
  Slopes s;
  for (std::size_t pair = 0; pair < frequencies.size(); ++pair) {
    const double angle = m * frequencies[pair], share = static_cast<double>(pair) * per_pair, w = angle * share;
    s.f += std::cos(angle);
    s.slope += w * std::sin(angle);
    s.largest_slope += w;
    s.largest_curvature += w * w + w * share;
  }
  return s;
}

/// How far in ln b a sum of size f > 0, whose slope towards zero is `towards`, keeps its sign: the
/// larger of f/D and the root of f − towards·u − Mu²/2; a little less, for rounding.
double stretch_of(double f, double towards, const Slopes& s) {
  // A ladder of one pair does not change with its base: both are infinite or undefined.
  if (!(s.largest_slope > 0)) return std::numeric_limits<double>::infinity();
  const double straight = f / s.largest_slope;
  const double curved = (std::sqrt(towards * towards + 2 * s.largest_curvature * f) - towards) / s.largest_curvature;
  return 0.999 * std::max(straight, curved);
}

/// How far in ln b a failing distance goes on failing; 0 where it does not fail.
double failing_stretch(std::span<const double> frequencies, std::int64_t distance) {
  const Slopes s = slopes_of(frequencies, distance);
  return s.f < 0 ? stretch_of(-s.f, s.slope, s) : 0;
}

/// How far one that does not fail goes on so; 0 where it fails.
double holding_stretch(std::span<const double> frequencies, std::int64_t distance) {
  const Slopes s = slopes_of(frequencies, distance);
  return s.f >= 0 ? stretch_of(s.f, -s.slope, s) : 0;
}

/// Σ cos(mθ_i) on the plain ladder of the base e^x, to about 1e-19 of each angle.
long double exact_sum(int rotary_dim, long double x, std::int64_t distance) {
  long double sum = 0;
  for (int pair = 0; pair < rotary_dim / 2; ++pair) {
    sum += std::cos(static_cast<long double>(distance) * std::exp(-2 * x * pair / rotary_dim));
  }
  return sum;
}

}  // namespace

double steepest_slope(std::span<const double> frequencies, double distance) {
  double sum = 0;
  for (std::size_t pair = 0; pair < frequencies.size(); ++pair) sum += frequencies[pair] * static_cast<double>(pair);
  return distance * sum / static_cast<double>(frequencies.size());
}

void BaseWalk::look_for(std::int64_t first, std::int64_t last, double below) {
  sums_.visit_open(first, last, below, stop_, [this](std::int64_t distance) {
    const double stretch = failing_stretch(sums_.frequencies(), distance);
    if (!(stretch > 0)) return true;
    if (stretch >= longest_) longest_ = stretch, useful_ = distance;
    return ++candidates_ < kCandidates;
  });
}

std::optional<double> BaseWalk::failing_from(double x) {
  sums_.set_plain(rotary_dim_, std::exp(x));
  if (useful_ > 0) {
    const double again = failing_stretch(sums_.frequencies(), useful_);
    if (again > 0 && again >= kAgain * taken_) return std::max(again, kSmallestStep);
  }
  const double deep = -kDeep * std::sqrt(static_cast<double>(rotary_dim_ / 2) / 2);
  const std::int64_t from = std::clamp<std::int64_t>(useful_ - context_ / kBackPart, 1, context_);
  candidates_ = 0, longest_ = 0;
  look_for(from, context_, deep);
  if (candidates_ < kCandidates && from > 1) look_for(1, from - 1, deep);
  if (candidates_ == 0) look_for(1, context_, 0);
  if (stop_.stop_requested()) return std::nullopt;
  // A sum so near zero that only an exact one tells its sign.
  if (candidates_ == 0 && !sums_.first_negative(1, context_, stop_)) return std::nullopt;
  taken_ = longest_;
  return std::max(longest_, kSmallestStep);
}

bool BaseWalk::allows(double x) {
  sums_.set_plain(rotary_dim_, std::exp(x));
  return !sums_.first_negative(1, context_, stop_);
}

BaseWalk::Held BaseWalk::held_from(double x, double end, int steps) {
  const double pairs = static_cast<double>(rotary_dim_ / 2);
  double level = kDeep * std::sqrt(pairs / 2);
  for (int step = 0; step < steps && x < end && !stop_.stop_requested(); ++step) {
    sums_.set_plain(rotary_dim_, std::exp(x));
    const double slope = steepest_slope(sums_.frequencies(), static_cast<double>(context_));
    // All that are not below the level stay above zero for this long.
    double stretch = slope > 0 ? 0.999 * level / slope : end - x;
    int followed = 0;
    sums_.visit_below(1, context_, level, stop_, [&](std::int64_t distance, double) {
      stretch = std::min(stretch, holding_stretch(sums_.frequencies(), distance));
      ++followed;
      return stretch > kFinest;
    });
    if (stretch <= kFinest) return {x, true};
    x = std::min(end, x + stretch);
    if (followed < kFewFollowed) level = std::min(2 * level, pairs);
    if (followed > kManyFollowed) level /= 2;
  }
  return {x, false};
}

double BaseWalk::edge_between(double fails, double allowed) {
  narrow(fails, allowed);
  return allowed;
}

double BaseWalk::lower_edge(double x, double bound) {
  const double before = std::max(bound, x - 2 * kSmallestStep);
  return allows(before) ? before : edge_between(before, x);
}

long double BaseWalk::exact_edge(double x, double bound) {
  const double before = std::max(bound, x - 2 * kSmallestStep);
  return allows(before) ? before : exact_edge_between(before, x);
}

long double BaseWalk::exact_edge_between(double fails, double allowed) {
  narrow(fails, allowed);
  return stop_.stop_requested() ? allowed : last_root(fails, allowed);
}

void BaseWalk::narrow(double& fails, double& allowed) {
  while (std::abs(allowed - fails) > kEdge && !stop_.stop_requested()) {
    const double middle = fails + (allowed - fails) / 2;
    (allows(middle) ? allowed : fails) = middle;
  }
}

/// Where between the two the last of the distances that fail stops failing. Sums in double say which distances fail but
/// for a few units in the last place of the base; where each stops is found in extended precision.
long double BaseWalk::last_root(double fails, double allowed) {
  long double root = fails;
  sums_.set_plain(rotary_dim_, static_cast<double>(std::exp(root)));
  for (std::int64_t from = 1; from <= context_;) {
    const auto failing = sums_.first_negative(from, context_, stop_);
    if (!failing) break;
    from = *failing + 1;
    if (exact_sum(rotary_dim_, root, *failing) >= 0) continue;
    long double above = allowed;
    for (long double middle = (root + above) / 2; root < middle && middle < above; middle = (root + above) / 2) {
      (exact_sum(rotary_dim_, middle, *failing) >= 0 ? above : root) = middle;
    }
    root = above;
    sums_.set_plain(rotary_dim_, static_cast<double>(std::exp(root)));
  }
  return root;
}

}  // namespace ropescope
