#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>

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

/// What the threads share.
struct Search {
  int rotary_dim;
  std::int64_t context;
  double begin, end;  ///< of ln b
  std::stop_token stop;
  std::atomic<std::int64_t> next_segment{0};
  std::atomic<double> found{kNone};  ///< smallest ln b so far that is allowed

  void offer(double x) {
    double known = found;
    while (x < known && !found.compare_exchange_weak(known, x)) {
    }
  }
};

/// How long the strongest of these failures lasts; it is remembered. 0 where none fails or stopped.
double stretch_of_strongest(std::int64_t first, std::int64_t last, const std::stop_token& stop, CosineSums& sums,
                            Failures& failures) {
  const auto failing = sums.strongest_negative(first, last, stop);
  if (!failing) return 0;
  failures.add(*failing);
  return failing_stretch(sums.frequencies(), *failing);
}

/// The first allowed ln b of [from, to), kNone if there is none or another thread has found a smaller one.
double search_segment(const Search& search, double from, double to, CosineSums& sums, Failures& failures) {
  for (double x = from; x < to && x < search.found && !search.stop.stop_requested();) {
    sums.set_plain(search.rotary_dim, std::exp(x));
    double stretch = failures.stretch(sums.frequencies(), kGoodStretch);
    if (stretch < kPoorStretch && failures.last() > 0) {
      // The slow pairs change little from one base to the next: what fails now lies near what failed before.
      const std::int64_t first = std::max<std::int64_t>(1, failures.last() - kNeighbourhood);
      const std::int64_t last = std::min(search.context, failures.last() + kNeighbourhood);
      stretch = std::max(stretch, stretch_of_strongest(first, last, search.stop, sums, failures));
    }
    if (stretch < kWorstStretch) {
      const auto failing = sums.first_negative(1, search.context, search.stop);
      if (!failing) return search.stop.stop_requested() ? kNone : x;
      const std::int64_t last = std::min(search.context, *failing + *failing / 4 + kNeighbourhood);
      stretch = std::max(stretch, stretch_of_strongest(*failing, last, search.stop, sums, failures));
    }
    x += std::max(stretch, kSmallestStep);
  }
  return kNone;
}

void search_segments(Search& search) {
  CosineSums sums;
  Failures failures;
  while (!search.stop.stop_requested()) {
    const double from = search.begin + kSegment * static_cast<double>(search.next_segment++);
    if (from > search.end || from >= search.found) return;
    // Past the end by the smallest step, so that the end itself is looked at.
    const double to = std::min(from + kSegment, search.end + kSmallestStep);
    search.offer(search_segment(search, from, to, sums, failures));
  }
}

/// The lower edge of the window that `allowed` lies in: the window cannot have begun more than a step before.
double edge_of_window(const Search& search, double allowed) {
  CosineSums sums;
  const auto allows = [&](double x) {
    sums.set_plain(search.rotary_dim, std::exp(x));
    return !sums.first_negative(1, search.context, search.stop);
  };
  double fails = std::max(search.begin, allowed - 2 * kSmallestStep);
  if (allows(fails)) return fails;
  while (allowed - fails > 1e-9 && !search.stop.stop_requested()) {
    const double middle = fails + (allowed - fails) / 2;
    (allows(middle) ? allowed : fails) = middle;
  }
  return allowed;
}

void require_search(const BaseSearch& search) {
  if (search.rotary_dim < 2 || search.rotary_dim > 8192 || search.rotary_dim % 2 != 0) {
    throw InputError("the rotary dimension is " + std::to_string(search.rotary_dim) +
                     "; expected an even number from 2 to 8192");
  }
  if (search.context < 1) {
    throw InputError("the context is " + std::to_string(search.context) + " positions; expected 1 or more");
  }
  if (!(search.lowest > 1 && search.lowest <= search.highest && std::isfinite(search.highest))) {
    throw InputError("the bases run from " + std::to_string(search.lowest) + " to " + std::to_string(search.highest) +
                     "; expected finite numbers above 1, the smaller one first");
  }
}

}  // namespace

std::optional<double> smallest_base(const BaseSearch& request, std::stop_token stop) {
  require_search(request);
  Search search{request.rotary_dim, request.context, std::log(request.lowest), std::log(request.highest), stop};
  share_work(request.threads, [&search] { search_segments(search); });
  if (stop.stop_requested() || search.found == kNone) return std::nullopt;
  const double edge = edge_of_window(search, search.found);
  if (stop.stop_requested()) return std::nullopt;
  return std::clamp(std::exp(edge), request.lowest, request.highest);
}

}  // namespace ropescope
