#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <thread>

#include "core/decay/cosine_sums.h"
#include "core/decay/limits.h"
#include "core/decay/share_work.h"
#include "core/error.h"

// The admissible bases of a context are scattered windows, some narrower than a thousandth (d = 128, L = 4 096: the
// first is 26 952 … 26 973), so that a scan on a fixed grid finds or misses one by luck. Here every base that is passed
// over is known to fail: with x = ln b, θ_i = e^{−2ix/d} and w_i = mθ_i·2i/d,
//   f(x) = Σ cos mθ_i,   f' = Σ w_i sin mθ_i,   |f'| ≤ D = Σ w_i,   |f''| ≤ M = Σ w_i² + w_i·2i/d,
// and as D and M fall with x, a distance m that fails at x goes on failing up to x + u for u < −f/D and for
// f + f'u + Mu²/2 < 0. The next base to look at is the end of the longest such stretch.

namespace ropescope {

namespace {

/// Where no distance fails for longer than this part of a base, the next one is so much larger: windows narrower than
/// it can be missed.
constexpr double kSmallestStep = 2e-7;
/// A stretch of ln b that one thread searches.
constexpr double kSegment = 0.02;
/// Distances that failed lately and are tried first.
constexpr std::size_t kRemembered = 24;
/// A remembered distance that fails this long is taken without trying the others; where all last less than the second,
/// a better one is looked for nearby, and only where that lasts less than the third, everywhere.
constexpr double kGoodStretch = 1e-4, kPoorStretch = 2e-5, kWorstStretch = 1e-6;
/// How far nearby is, in distances.
constexpr std::int64_t kNeighbourhood = 4096;
/// Edges of windows are known to this part.
constexpr double kEdge = 1e-9;
/// Steps of ln b inside a window; for contexts above the second number they grow with them, as every look costs more.
constexpr double kGap = 1e-4, kFineContext = 16384;
constexpr double kNone = std::numeric_limits<double>::infinity();

/// How far in ln b a failing distance goes on failing; 0 where it does not fail.
double failing_stretch(std::span<const double> frequencies, std::int64_t distance) {
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
long double exact_sum(int rotary_dim, long double x, std::int64_t distance) {
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

  /// Where between the two it changes from one to the other, on the allowed side, to a part of kEdge.
  double edge_between(double fails, double allowed) {
    narrow(fails, allowed);
    return allowed;
  }

  /// The lower edge of the window of x, known not to have begun before `bound` nor more than a smallest step before x;
  /// on the allowed side, to a part of kEdge.
  double lower_edge(double x, double bound) {
    const double before = std::max(bound, x - 2 * kSmallestStep);
    return allows(before) ? before : edge_between(before, x);
  }

  /// The same in full.
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

/// The windows that begin or lie in a segment, in ln b.
std::vector<BaseWindow> windows_of_segment(Walk& walk, double from, double to, double step,
                                           const std::stop_token& stop) {
  std::vector<BaseWindow> windows;
  bool open = false;
  for (double x = from; x < to && !stop.stop_requested();) {
    const auto stretch = walk.failing_from(x);
    if (!stretch) {
      if (!open) windows.push_back({x > from ? walk.lower_edge(x, from) : from, x});
      windows.back().high = x;
      x += step;
    } else {
      if (open) windows.back().high = walk.edge_between(x, windows.back().high);
      x += *stretch;
    }
    open = !stretch;
  }
  // Nothing is known between the last look and the end but that it was allowed then.
  if (open) windows.back().high = walk.allows(to) ? to : walk.edge_between(to, windows.back().high);
  return windows;
}

void require_search(const BaseSearch& search) {
  if (search.rotary_dim < 2 || search.rotary_dim > 8192 || search.rotary_dim % 2 != 0) {
    throw InputError("rotary.dimension", {{"dim", search.rotary_dim}, {"least", 2}, {"most", 8192}});
  }
  if (search.context < 1) {
    throw InputError("decay.context", {{"positions", search.context}});
  }
  if (!(search.lowest > 1 && search.lowest <= search.highest && std::isfinite(search.highest))) {
    throw InputError("decay.bases", {{"lowest", search.lowest}, {"highest", search.highest}});
  }
}

}  // namespace

std::optional<double> smallest_base(const BaseSearch& search, std::stop_token stop) {
  require_search(search);
  Segments segments(search);
  std::atomic<double> found = kNone;
  const std::thread::id caller = std::this_thread::get_id();
  share_work(search.threads, [&] {
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

std::vector<BaseWindow> admissible_windows(const BaseSearch& search, std::stop_token stop) {
  require_search(search);
  Segments segments(search);
  const double step = kGap * std::max(1.0, static_cast<double>(search.context) / kFineContext);
  std::vector<std::vector<BaseWindow>> of_segment(static_cast<std::size_t>(segments.count()));
  share_work(search.threads, [&] {
    for (std::int64_t i = segments.next++; i < segments.count() && !stop.stop_requested(); i = segments.next++) {
      Walk walk(search, stop);
      of_segment[static_cast<std::size_t>(i)] = windows_of_segment(walk, segments.from(i), segments.to(i), step, stop);
    }
  });
  if (stop.stop_requested()) return {};
  std::vector<BaseWindow> windows;
  for (const auto& some : of_segment) {
    for (const BaseWindow& window : some) {
      const double low = std::max(std::exp(window.low), search.lowest);
      const double high = std::min(std::exp(window.high), search.highest);
      // A window that goes on in the next segment is one.
      if (!windows.empty() && low <= windows.back().high * (1 + 2 * kSmallestStep)) {
        windows.back().high = high;
      } else if (low <= high) {
        windows.push_back({low, high});
      }
    }
  }
  return windows;
}

}  // namespace ropescope
