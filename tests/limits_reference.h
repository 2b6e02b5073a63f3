#pragma once

// The search for the smallest base as it was before SumBands: every sum at every distance. Tests compare answers with
// it, benchmarks times. Kept as it stood, in a namespace of its own.

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/decay/kernel.h"
#include "core/decay/kernel_path.h"
#include "core/decay/limits.h"
#include "core/parallel.h"

namespace ropescope::reference {

/// B_m = Σ_i cos(mθ_i) at neighbouring whole distances m, for one ladder after the other: tables that one thread keeps
/// and fills anew for each ladder, cheap enough that a scan which ends early is not ruled by them.
class CosineSums {
 public:
  CosineSums();

  /// θ_i of the ladder to look at, radians per position.
  void set_frequencies(std::span<const double> frequencies);
  /// θ_i = b^(−2i/d): plain_frequencies to one or two units in the last place, many times faster.
  void set_plain(int rotary_dim, double base);

  std::span<const double> frequencies() const { return frequencies_; }
  /// B_m, one direct evaluation: absolute error about 1e-15 per pair.
  double at(std::int64_t distance) const;
  /// The smallest m with B_m < 0, first ≤ m ≤ last and first ≥ 0; none, too, where `stop` was requested meanwhile
  /// (looked at every few thousand distances). A sum too close to zero for the fast way is evaluated directly.
  std::optional<std::int64_t> first_negative(std::int64_t first, std::int64_t last, const std::stop_token& stop);
  /// The distance m of first … last whose −B_m/m² is largest, none where no sum is negative or where stopped: the
  /// failure that lasts longest when the base grows, see smallest_base.
  std::optional<std::int64_t> strongest_negative(std::int64_t first, std::int64_t last, const std::stop_token& stop);

 private:
  /// Calls visit(m, B_m) for m = first … last in order until it returns false. False where stopped.
  template <class Visit>
  bool scan(std::int64_t first, std::int64_t last, const std::stop_token& stop, Visit&& visit);
  struct Phasors {
    std::vector<double> cosine, sine;
    void resize(std::size_t size) { cosine.resize(size), sine.resize(size); }
  };
  void fill_tables();
  void begin_tile(std::int64_t distance);
  void turn_by_a_block();

  const KernelPath* path_;
  std::vector<double> frequencies_;
  Phasors fine_;   ///< [pair][t]: e^{itθ}, t = 0 … 31
  Phasors block_;  ///< [pair]: e^{i·32·θ}
  Phasors turn_;   ///< [pair]: e^{imθ} at the beginning of the block
  bool tables_filled_ = false;
};

inline constexpr auto kBlock = static_cast<std::size_t>(kBlockDistances);
/// Blocks after which the phasors are computed anew: their products lose about half a unit in the last place a block.
inline constexpr std::int64_t kTileBlocks = 64;
/// Sums of up to 4 096 products and this many roundings each stay within it.
inline constexpr double kDoubtful = 1e-9;

inline CosineSums::CosineSums() : path_(&best_kernel_path()) {}

inline void CosineSums::set_frequencies(std::span<const double> frequencies) {
  frequencies_.assign(frequencies.begin(), frequencies.end());
  tables_filled_ = false;
}

inline void CosineSums::set_plain(int rotary_dim, double base) {
  frequencies_.resize(static_cast<std::size_t>(rotary_dim / 2));
  // Extended precision: thousands of products in a row stay below a double's rounding.
  const long double ratio = std::pow(static_cast<long double>(base), -2.0L / rotary_dim);
  long double frequency = 1;
  for (double& each : frequencies_) {
    each = static_cast<double>(frequency);
    frequency *= ratio;
  }
  tables_filled_ = false;
}

inline double CosineSums::at(std::int64_t distance) const {
  double sum = 0;
  for (const double frequency : frequencies_) sum += phasor(frequency, static_cast<double>(distance)).cosine;
  return sum;
}

inline void CosineSums::fill_tables() {
  const std::size_t pair_count = frequencies_.size();
  fine_.resize(pair_count * kBlock);
  block_.resize(pair_count);
  turn_.resize(pair_count);
  for (std::size_t pair = 0; pair < pair_count; ++pair) {
    double* cosine = fine_.cosine.data() + pair * kBlock;
    double* sine = fine_.sine.data() + pair * kBlock;
    cosine[0] = 1, sine[0] = 0;
    Phasor step = phasor(frequencies_[pair], 1);
    for (std::size_t filled = 1; filled < kBlock; filled *= 2) {
      for (std::size_t t = 0; t < filled; ++t) {
        cosine[filled + t] = cosine[t] * step.cosine - sine[t] * step.sine;
        sine[filled + t] = cosine[t] * step.sine + sine[t] * step.cosine;
      }
      step = phasor(frequencies_[pair], static_cast<double>(2 * filled));
    }
    block_.cosine[pair] = step.cosine, block_.sine[pair] = step.sine;
  }
  tables_filled_ = true;
}

inline void CosineSums::begin_tile(std::int64_t distance) {
  for (std::size_t pair = 0; pair < frequencies_.size(); ++pair) {
    const Phasor turn = phasor(frequencies_[pair], static_cast<double>(distance));
    turn_.cosine[pair] = turn.cosine, turn_.sine[pair] = turn.sine;
  }
}

inline void CosineSums::turn_by_a_block() {
  const std::size_t pair_count = frequencies_.size();
  const double *by_cosine = block_.cosine.data(), *by_sine = block_.sine.data();
  double *cosine = turn_.cosine.data(), *sine = turn_.sine.data();
  for (std::size_t pair = 0; pair < pair_count; ++pair) {
    const double real = cosine[pair] * by_cosine[pair] - sine[pair] * by_sine[pair];
    sine[pair] = cosine[pair] * by_sine[pair] + sine[pair] * by_cosine[pair];
    cosine[pair] = real;
  }
}

template <class Visit>
bool CosineSums::scan(std::int64_t first, std::int64_t last, const std::stop_token& stop, Visit&& visit) {
  if (!tables_filled_) fill_tables();
  std::array<double, kBlock> sums;
  const KernelBlock block{static_cast<int>(frequencies_.size()),
                          fine_.cosine.data(),
                          fine_.sine.data(),
                          turn_.cosine.data(),
                          turn_.sine.data(),
                          sums.data(),
                          nullptr};
  std::int64_t blocks_left = 0;
  for (std::int64_t begin = first; begin <= last; begin += kBlockDistances) {
    if (blocks_left == 0) {
      if (stop.stop_requested()) return false;
      begin_tile(begin);
      blocks_left = kTileBlocks;
    }
    path_->score(block);
    const std::int64_t count = std::min<std::int64_t>(kBlockDistances, last + 1 - begin);
    for (std::int64_t t = 0; t < count; ++t) {
      double sum = sums[static_cast<std::size_t>(t)];
      if (std::abs(sum) < kDoubtful) sum = at(begin + t);
      if (!visit(begin + t, sum)) return true;
    }
    turn_by_a_block();
    --blocks_left;
  }
  return true;
}

inline std::optional<std::int64_t> CosineSums::first_negative(std::int64_t first, std::int64_t last,
                                                              const std::stop_token& stop) {
  std::optional<std::int64_t> found;
  scan(first, last, stop, [&found](std::int64_t distance, double sum) {
    if (sum < 0) found = distance;
    return !found;
  });
  return found;
}

inline std::optional<std::int64_t> CosineSums::strongest_negative(std::int64_t first, std::int64_t last,
                                                                  const std::stop_token& stop) {
  std::optional<std::int64_t> found;
  double strength = 0;
  const bool complete = scan(first, last, stop, [&](std::int64_t distance, double sum) {
    if (sum >= 0) return true;
    const double m = static_cast<double>(distance);
    if (-sum / (m * m) > strength) {
      strength = -sum / (m * m);
      found = distance;
    }
    return true;
  });
  return complete ? found : std::nullopt;
}

/// Where no distance fails for longer than this part of a base, the next one is so much larger: windows narrower than
/// it can be missed.
inline constexpr double kSmallestStep = 2e-7;
/// A stretch of ln b that one thread searches.
inline constexpr double kSegment = 0.02;
/// Distances that failed lately and are tried first.
inline constexpr std::size_t kRemembered = 24;
/// A remembered distance that fails this long is taken without trying the others; where all last less than the second,
/// a better one is looked for nearby, and only where that lasts less than the third, everywhere.
inline constexpr double kGoodStretch = 1e-4, kPoorStretch = 2e-5, kWorstStretch = 1e-6;
/// How far nearby is, in distances.
inline constexpr std::int64_t kNeighbourhood = 4096;
/// Edges of windows are known to this part.
inline constexpr double kEdge = 1e-9;
inline constexpr double kNone = std::numeric_limits<double>::infinity();

/// How far in ln b a failing distance goes on failing; 0 where it does not fail.
inline double failing_stretch(std::span<const double> frequencies, std::int64_t distance) {
  const double m = static_cast<double>(distance);
  const double per_pair = 1 / static_cast<double>(frequencies.size());  // 2i/d = i/n
  double f = 0, slope = 0, largest_slope = 0, largest_curvature = 0;
  for (std::size_t pair = 0; pair < frequencies.size(); ++pair) {
    const double angle = m * frequencies[pair], share = static_cast<double>(pair) * per_pair, w = angle * share;
    f += std::cos(angle);
    slope += w * std::sin(angle);
    largest_slope += w;
    largest_curvature += w * w + w * share;
  }
  if (f >= 0) return 0;
  const double straight = -f / largest_slope;
  const double curved = (std::sqrt(slope * slope - 2 * largest_curvature * f) - slope) / largest_curvature;
  // A ladder of one pair does not change with its base: both are infinite or undefined.
  return largest_slope > 0 ? 0.999 * std::max(straight, curved) : kNone;
}

/// Σ cos(mθ_i) on the plain ladder of the base e^x, to about 1e-19 of each angle.
inline long double exact_sum(int rotary_dim, long double x, std::int64_t distance) {
  long double sum = 0;
  for (int pair = 0; pair < rotary_dim / 2; ++pair) {
    sum += std::cos(static_cast<long double>(distance) * std::exp(-2 * x * pair / rotary_dim));
  }
  return sum;
}

/// The distances that a thread tries first, the last useful one in front.
class Failures {
 public:
  /// A stretch of at least `enough` by the first distance that gives it, else the longest of all.
  double stretch(std::span<const double> frequencies, double enough) {
    double longest = 0;
    std::size_t best = 0;
    for (std::size_t i = 0; i < distances_.size() && longest < enough; ++i) {
      const double stretch = failing_stretch(frequencies, distances_[i]);
      if (stretch > longest) longest = stretch, best = i;
    }
    if (longest > 0) bring_to_front(best);
    return longest;
  }
  /// The last one that was useful, 0 before there is one.
  std::int64_t last() const { return distances_.empty() ? 0 : distances_.front(); }
  void add(std::int64_t distance) {
    const auto found = std::find(distances_.begin(), distances_.end(), distance);
    if (found != distances_.end()) distances_.erase(found);
    distances_.insert(distances_.begin(), distance);
    if (distances_.size() > kRemembered) distances_.pop_back();
  }

 private:
  void bring_to_front(std::size_t index) {
    const auto at = distances_.begin() + static_cast<std::ptrdiff_t>(index);
    std::rotate(distances_.begin(), at, at + 1);
  }
  std::vector<std::int64_t> distances_;
};

/// One way through the bases of a segment. What it remembers decides where it looks next, and so which windows narrower
/// than the smallest step it meets and where between two looks an edge is put: each segment begins anew, whichever
/// thread takes it, so that the answer does not depend on the number of threads.
class Walk {
 public:
  Walk(const BaseSearch& search, const std::stop_token& stop)
      : rotary_dim_(search.rotary_dim), context_(search.context), stop_(stop) {}

  /// How far in ln b the context goes on failing from x on, at least kSmallestStep; none where it is allowed, and where
  /// stopped.
  std::optional<double> failing_from(double x) {
    sums_.set_plain(rotary_dim_, std::exp(x));
    double stretch = failures_.stretch(sums_.frequencies(), kGoodStretch);
    if (stretch < kPoorStretch && failures_.last() > 0) {
      // The slow pairs change little from one base to the next: what fails now lies near what failed before.
      const std::int64_t first = std::max<std::int64_t>(1, failures_.last() - kNeighbourhood);
      stretch = std::max(stretch, strongest(first, failures_.last() + kNeighbourhood));
    }
    if (stretch < kWorstStretch) {
      const auto failing = sums_.first_negative(1, context_, stop_);
      if (!failing) return std::nullopt;
      stretch = std::max(stretch, strongest(*failing, *failing + *failing / 4 + kNeighbourhood));
    }
    return std::max(stretch, kSmallestStep);
  }

  bool allows(double x) {
    sums_.set_plain(rotary_dim_, std::exp(x));
    return !sums_.first_negative(1, context_, stop_);
  }

  /// Where the window of x begins, known not to have begun before `bound` nor more than a smallest step before x.
  long double exact_edge(double x, double bound) {
    double fails = std::max(bound, x - 2 * kSmallestStep);
    if (allows(fails)) return fails;
    narrow(fails, x);
    return stop_.stop_requested() ? x : last_root(fails, x);
  }

 private:
  void narrow(double& fails, double& allowed) {
    while (std::abs(allowed - fails) > kEdge && !stop_.stop_requested()) {
      const double middle = fails + (allowed - fails) / 2;
      (allows(middle) ? allowed : fails) = middle;
    }
  }

  /// Where between the two the last of the distances that fail stops failing. Sums in double say which distances fail
  /// but for a few units in the last place of the base; where each stops is found in extended precision.
  long double last_root(double fails, double allowed) {
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

  /// How long the strongest of these failures lasts; it is remembered. 0 where none fails.
  double strongest(std::int64_t first, std::int64_t last) {
    const auto failing = sums_.strongest_negative(first, std::min(last, context_), stop_);
    if (!failing) return 0;
    failures_.add(*failing);
    return failing_stretch(sums_.frequencies(), *failing);
  }

  int rotary_dim_;
  std::int64_t context_;
  std::stop_token stop_;
  CosineSums sums_;
  Failures failures_;
};

/// A range of ln b in segments, which the threads take in ascending order.
struct Segments {
  double begin, end;
  std::atomic<std::int64_t> next{0};

  explicit Segments(const BaseSearch& search) : begin(std::log(search.lowest)), end(std::log(search.highest)) {}
  std::int64_t count() const { return static_cast<std::int64_t>((end - begin) / kSegment) + 1; }
  double from(std::int64_t index) const { return begin + kSegment * static_cast<double>(index); }
  /// The last one ends past the end by the smallest step, so that the end itself is looked at.
  double to(std::int64_t index) const { return std::min(from(index) + kSegment, end + kSmallestStep); }
};

inline std::optional<double> smallest_base(const BaseSearch& search, std::stop_token stop) {
  Segments segments(search);
  std::atomic<double> found = kNone;
  const std::thread::id caller = std::this_thread::get_id();
  run_on_threads(search.threads, [&] {
    const bool tells = search.progress && std::this_thread::get_id() == caller;
    for (std::int64_t i = segments.next++; i < segments.count() && segments.from(i) < found; i = segments.next++) {
      Walk walk(search, stop);
      double x = segments.from(i);
      while (x < segments.to(i) && x < found && !stop.stop_requested()) {
        if (tells) search.progress(std::exp(x));
        const auto stretch = walk.failing_from(x);
        if (!stretch) break;
        x += *stretch;
      }
      double known = found;
      while (x < segments.to(i) && x < known && !found.compare_exchange_weak(known, x)) {
      }
    }
  });
  if (found == kNone) return std::nullopt;
  const long double edge = Walk(search, stop).exact_edge(found, segments.begin);
  if (stop.stop_requested()) return std::nullopt;
  return std::clamp(static_cast<double>(std::exp(edge)), search.lowest, search.highest);
}

}  // namespace ropescope::reference
