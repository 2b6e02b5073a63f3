// Cosine sums, their bands, and the walk over bases. Read sums.h first.
//
// Contents: Sums; Bands; Over bases.

#include "core/decay/sums.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "core/decay/kernel.h"
#include "core/decay/kernel_path.h"

namespace ropescope {

// --- Sums ----------------------------------------------------------------------------------------------------------

void CosineSums::set_frequencies(std::span<const double> frequencies) {
  frequencies_.assign(frequencies.begin(), frequencies.end());
  bands_set_ = false;
}

void CosineSums::set_plain(int rotary_dim, double base) {
  frequencies_.resize(static_cast<std::size_t>(rotary_dim / 2));
  // Extended precision: the error of thousands of successive products stays below a double's rounding.
  const long double ratio = std::pow(static_cast<long double>(base), -2.0L / rotary_dim);
  long double frequency = 1;
  for (double& each : frequencies_) {
    each = static_cast<double>(frequency);
    frequency *= ratio;
  }
  bands_set_ = false;
}

double CosineSums::at(std::int64_t distance) const {
  double sum = 0;
  for (const double frequency : frequencies_) sum += phasor(frequency, static_cast<double>(distance)).cosine;
  return sum;
}

/// Returns B_m. It is evaluated in full only near the level, where rounding of the angles (half a unit in the last
/// place of each, mθ·2^−53) and of the cosines and their sum could change the comparison.
double CosineSums::against(std::int64_t distance, double level) const {
  const double m = static_cast<double>(distance), pairs = static_cast<double>(frequencies_.size());
  double sum = 0;
  for (const double frequency : frequencies_) sum += std::cos(m * frequency);
  const double doubtful = 1.2e-16 * m * sum_of_frequencies_ + 1e-14 * pairs + 2e-16 * pairs * pairs;
  return std::abs(sum - level) > doubtful ? sum : at(distance);
}

bool CosineSums::visit_open(std::int64_t first, std::int64_t last, double below, const std::stop_token& stop,
                            const std::function<bool(std::int64_t)>& visit) {
  if (!bands_set_) {
    bands_.set_frequencies(frequencies_);
    sum_of_frequencies_ = std::accumulate(frequencies_.begin(), frequencies_.end(), 0.0,
                                          [](double sum, double each) { return sum + std::abs(each); });
    bands_set_ = true;
  }
  return bands_.visit_open(first, last, below, stop, visit);
}

bool CosineSums::visit_below(std::int64_t first, std::int64_t last, double below, const std::stop_token& stop,
                             const std::function<bool(std::int64_t, double)>& visit) {
  return visit_open(first, last, below, stop, [&](std::int64_t distance) {
    const double sum = against(distance, below);
    return !(sum < below) || visit(distance, sum);
  });
}

std::optional<std::int64_t> CosineSums::first_negative(std::int64_t first, std::int64_t last,
                                                       const std::stop_token& stop) {
  std::optional<std::int64_t> found;
  visit_below(first, last, 0, stop, [&found](std::int64_t distance, double) {
    found = distance;
    return false;
  });
  return found;
}

// --- Bands ---------------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kPoints = kBlockDistances;
/// Ratio of the strides of adjacent bands.
constexpr std::size_t kRatio = 4;
/// Intervals of the coarser band per call.
constexpr std::size_t kCoarser = kPoints / kRatio;
/// Linear interpolation of nine values uses nine hat functions, two of which the kernel treats as one pair.
constexpr std::size_t kLines = kCoarser / 2 + 1;
/// The number of bands is chosen to leave at least these shares of the pairs to the coarsest band. More bands would
/// mean longer tiles and larger tables.
constexpr double kShareOfFive = 0.6, kShareOfFour = 0.45;
/// Number of distances after which the phasors are recomputed; and the limit up to which the rounding of an angle,
/// distance·θ·2^−53, is left uncorrected.
constexpr std::int64_t kAnew = 1 << 17, kPlain = 1 << 20;
/// A band contains the pairs that are rotated by at most this angle, in radians, between two of its points.
constexpr double kAngle = 1;
/// Rounding allowance per pair, and for the sum.
constexpr double kRoundingOfPair = 1e-9, kRoundingOfSum = 1e-7;

/// Returns hat function k at point t of a call: 1 at the coarser band's k-th point, falling to 0 at adjacent points.
double hat(std::size_t k, std::size_t t) {
  return std::max(0.0, 1 - std::abs(static_cast<double>(t) / kRatio - static_cast<double>(k)));
}

Phasor squared(Phasor p) {
  return {p.cosine * p.cosine - p.sine * p.sine, 2 * p.cosine * p.sine};
}

// --- Over bases ----------------------------------------------------------------------------------------------------

/// Accuracy of window edges in this part; and the distance below which edges are not distinguished.
constexpr double kEdge = 1e-9, kFinest = 1e-13;
/// The previous distance is reused, without a search for others, while it still covers this fraction of its first
/// range.
constexpr double kAgain = 0.2;
/// Otherwise the longest range of this many failing distances is used,
constexpr int kCandidates = 4;
/// searched from this fraction of the context before the last one on, because failing distances change little between
/// bases,
constexpr std::int64_t kBackPart = 100;
/// first those that fail by this multiple of √(pairs/2), the standard deviation of a distant sum: they last longer.
constexpr double kDeep = 0.25;
/// Number of sums below a level that are tracked individually.
constexpr int kFewFollowed = 16, kManyFollowed = 128;

/// f, f', D and M as defined at BaseWalk.
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

/// Returns how far in ln b a sum of size f > 0 with slope `towards` zero keeps its sign: the larger of f/D and the root
/// of f − towards·u − Mu²/2, slightly reduced for rounding.
double stretch_of(double f, double towards, const Slopes& s) {
  // A ladder with one pair does not change with its base: both are infinite or undefined.
  if (!(s.largest_slope > 0)) return std::numeric_limits<double>::infinity();
  const double straight = f / s.largest_slope;
  const double curved = (std::sqrt(towards * towards + 2 * s.largest_curvature * f) - towards) / s.largest_curvature;
  return 0.999 * std::max(straight, curved);
}

/// Returns how far in ln b a failing distance continues to fail; 0 if it does not fail.
double failing_stretch(std::span<const double> frequencies, std::int64_t distance) {
  const Slopes s = slopes_of(frequencies, distance);
  return s.f < 0 ? stretch_of(-s.f, s.slope, s) : 0;
}

/// Returns how far in ln b a distance that does not fail continues not to fail; 0 if it fails.
double holding_stretch(std::span<const double> frequencies, std::int64_t distance) {
  const Slopes s = slopes_of(frequencies, distance);
  return s.f >= 0 ? stretch_of(s.f, -s.slope, s) : 0;
}

/// Returns Σ cos(mθ_i) on the plain ladder of the base e^x, to about 1e-19 of each angle.
long double exact_sum(int rotary_dim, long double x, std::int64_t distance) {
  long double sum = 0;
  for (int pair = 0; pair < rotary_dim / 2; ++pair) {
    sum += std::cos(static_cast<long double>(distance) * std::exp(-2 * x * pair / rotary_dim));
  }
  return sum;
}

}  // namespace

struct SumBands::Request {
  std::int64_t tile, last;
  double below;
  const std::function<bool(std::int64_t)>& visit;
};

SumBands::SumBands() : path_(&best_kernel_path()) {}

void SumBands::set_levels(std::size_t levels) {
  if (bands_.size() == levels) return;
  bands_.assign(levels, {});
  for (std::size_t level = 0; level < levels; ++level) {
    Band& band = bands_[level];
    band.stride = std::int64_t{1} << (2 * level);
    band.calls = std::size_t{1} << (2 * (levels - 1 - level));
    band.lines = level + 1 == levels ? 0 : kLines;
    band.fine.resize(band.lines * kPoints);
    for (std::size_t k = 0; k < band.lines * kPoints; ++k) {
      band.fine.cosine[k] = hat(2 * (k / kPoints), k % kPoints);
      band.fine.sine[k] = hat(2 * (k / kPoints) + 1, k % kPoints);
    }
  }
}

void SumBands::set_frequencies(std::span<const double> frequencies) {
  frequencies_.assign(frequencies.begin(), frequencies.end());
  // The cosine is even.
  for (double& frequency : frequencies_) frequency = std::abs(frequency);
  if (!std::is_sorted(frequencies_.begin(), frequencies_.end(), std::greater<>())) {
    std::sort(frequencies_.begin(), frequencies_.end(), std::greater<>());
  }
  const auto share_below = [this](double frequency) {
    const auto fast = std::partition_point(frequencies_.begin(), frequencies_.end(),
                                           [frequency](double each) { return each > frequency; });
    return static_cast<double>(frequencies_.end() - fast) / static_cast<double>(frequencies_.size());
  };
  set_levels(share_below(kAngle / 256) >= kShareOfFive ? 5 : share_below(kAngle / 64) >= kShareOfFour ? 4 : 3);
  std::size_t pair = 0;
  for (Band& band : bands_) {
    const bool coarsest = &band == &bands_.back();
    const double slowest = coarsest ? -1 : kAngle / static_cast<double>(kRatio * static_cast<std::size_t>(band.stride));
    band.first = pair;
    while (pair < frequencies_.size() && frequencies_[pair] > slowest) ++pair;
    band.pairs = pair - band.first;
    fill(band);
  }
  set_margins();
}

void SumBands::set_margins() {
  double error = kRoundingOfSum + kRoundingOfPair * static_cast<double>(frequencies_.size());
  for (std::size_t level = bands_.size(); level-- > 0;) {
    Band& band = bands_[level];
    double squares = 0;
    for (std::size_t i = 0; i < band.pairs; ++i) {
      squares += frequencies_[band.first + i] * frequencies_[band.first + i];
    }
    // With stride 1 there are no distances between two points.
    const double stride = static_cast<double>(band.stride);
    if (level > 0) error += stride * stride / 8 * squares;
    band.margin = error + static_cast<double>(band.first);
  }
}

void SumBands::fill(Band& band) {
  // The interpolation lines stored before the pairs remain.
  band.fine.resize((band.lines + band.pairs) * kPoints);
  band.jump.resize((band.calls + 1) * band.pairs);
  band.tile.resize(band.pairs);
  band.turn.resize(band.lines + band.pairs);
  for (std::size_t pair = 0; pair < band.pairs; ++pair) {
    double* cosine = band.fine.cosine.data() + (band.lines + pair) * kPoints;
    double* sine = band.fine.sine.data() + (band.lines + pair) * kPoints;
    const double frequency = frequencies_[band.first + pair];
    Phasor step{std::cos(frequency), std::sin(frequency)};
    for (std::int64_t stride = 1; stride < band.stride; stride *= 2) step = squared(step);
    cosine[0] = 1, sine[0] = 0;
    for (std::size_t filled = 1; filled < kPoints; filled *= 2) {
      for (std::size_t t = 0; t < filled; ++t) {
        cosine[filled + t] = cosine[t] * step.cosine - sine[t] * step.sine;
        sine[filled + t] = cosine[t] * step.sine + sine[t] * step.cosine;
      }
      step = squared(step);
    }
    band.jump.cosine[pair] = 1, band.jump.sine[pair] = 0;
    band.turn.cosine[pair] = step.cosine, band.turn.sine[pair] = step.sine;
  }
  for (std::size_t call = 0; call < band.calls; ++call) {
    const double *cosine = band.jump.cosine.data() + call * band.pairs, *by_cosine = band.turn.cosine.data();
    const double *sine = band.jump.sine.data() + call * band.pairs, *by_sine = band.turn.sine.data();
    double* next_cosine = band.jump.cosine.data() + (call + 1) * band.pairs;
    double* next_sine = band.jump.sine.data() + (call + 1) * band.pairs;
    for (std::size_t i = 0; i < band.pairs; ++i) {
      next_cosine[i] = cosine[i] * by_cosine[i] - sine[i] * by_sine[i];
      next_sine[i] = cosine[i] * by_sine[i] + sine[i] * by_cosine[i];
    }
  }
}

void SumBands::begin_tile(std::int64_t distance, bool anew) {
  for (Band& band : bands_) {
    double *cosine = band.tile.cosine.data(), *sine = band.tile.sine.data();
    const double* by_cosine = band.jump.cosine.data() + band.calls * band.pairs;
    const double* by_sine = band.jump.sine.data() + band.calls * band.pairs;
    for (std::size_t i = 0; i < band.pairs; ++i) {
      if (anew) {
        const double frequency = frequencies_[band.first + i], angle = frequency * static_cast<double>(distance);
        const Phasor turn = distance < kPlain ? Phasor{std::cos(angle), std::sin(angle)}
                                              : phasor(frequency, static_cast<double>(distance));
        cosine[i] = turn.cosine, sine[i] = turn.sine;
      } else {
        const double real = cosine[i] * by_cosine[i] - sine[i] * by_sine[i];
        sine[i] = cosine[i] * by_sine[i] + sine[i] * by_cosine[i];
        cosine[i] = real;
      }
    }
  }
}

void SumBands::evaluate(Band& band, std::size_t call, const double* coarser, double* values) {
  const std::size_t lines = band.lines;
  for (std::size_t k = 0; k < lines; ++k) {
    band.turn.cosine[k] = coarser[2 * k];
    band.turn.sine[k] = k + 1 < lines ? -coarser[2 * k + 1] : 0;
  }
  const double *cosine = band.tile.cosine.data(), *sine = band.tile.sine.data();
  const double* by_cosine = band.jump.cosine.data() + call * band.pairs;
  const double* by_sine = band.jump.sine.data() + call * band.pairs;
  double *turn_cosine = band.turn.cosine.data() + lines, *turn_sine = band.turn.sine.data() + lines;
  double end = coarser ? coarser[kCoarser] : 0;
  for (std::size_t i = 0; i < band.pairs; ++i) {
    turn_cosine[i] = cosine[i] * by_cosine[i] - sine[i] * by_sine[i];
    turn_sine[i] = cosine[i] * by_sine[i] + sine[i] * by_cosine[i];
    end += cosine[i] * by_cosine[band.pairs + i] - sine[i] * by_sine[band.pairs + i];
  }
  if (lines + band.pairs > 0) {
    path_->score({static_cast<int>(lines + band.pairs), band.fine.cosine.data(), band.fine.sine.data(),
                  band.turn.cosine.data(), band.turn.sine.data(), values, nullptr});
  } else {
    std::fill_n(values, kPoints, 0.0);
  }
  values[kPoints] = end;
}

bool SumBands::descend(std::size_t level, std::size_t call, const double* coarser, const Request& request) {
  Band& band = bands_[level];
  double values[kPoints + 1];
  evaluate(band, call, coarser, values);
  const double limit = request.below + band.margin;
  const std::int64_t begin = request.tile + static_cast<std::int64_t>(call * kPoints) * band.stride;
  if (level == 0) {
    for (std::size_t t = 0; t < kPoints; ++t) {
      if (values[t] >= limit) continue;
      const std::int64_t distance = begin + static_cast<std::int64_t>(t);
      if (distance > request.last || !request.visit(distance)) return false;
    }
    return true;
  }
  for (std::size_t group = 0; group < kPoints / kCoarser; ++group) {
    const double* of_group = values + group * kCoarser;
    double least = of_group[0];
    for (std::size_t k = 1; k <= kCoarser; ++k) least = of_group[k] < least ? of_group[k] : least;
    if (least < limit && !descend(level - 1, call * kRatio + group, of_group, request)) return false;
  }
  return true;
}

bool SumBands::visit_open(std::int64_t first, std::int64_t last, double below, const std::stop_token& stop,
                          const std::function<bool(std::int64_t)>& visit) {
  const std::int64_t tile_length = static_cast<std::int64_t>(kPoints) * bands_.back().stride;
  std::int64_t since = kAnew;
  for (std::int64_t tile = first; tile <= last; tile += tile_length, since += tile_length) {
    if (stop.stop_requested()) return false;
    begin_tile(tile, since >= kAnew);
    if (since >= kAnew) since = 0;
    if (!descend(bands_.size() - 1, 0, nullptr, {tile, last, below, visit})) return true;
  }
  return true;
}

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
  // The sum is so close to zero that its sign requires exact evaluation.
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
    // All sums that are not below the level stay above zero over this range.
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

/// Returns the point between the two bases at which the last failing distance stops failing. Sums in double show which
/// distances fail, except within a few units in the last place; the roots are found in extended precision.
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
