#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <thread>

#include "core/decay/base_walk.h"
#include "core/decay/limits_search.h"
#include "core/decay/share_work.h"
#include "core/error.h"
#include "core/rotary/spec.h"

// The admissible bases of a context are scattered windows, some narrower than a thousandth (d = 128, L = 4 096: the
// first is 26 952 … 26 973), so that a scan on a fixed grid finds or misses one by luck. Here every base that is passed
// over is known to fail: the next base to look at is the end of a stretch over which one distance is proven to go on
// failing (base_walk.h), and a base is allowed only when no distance up to the context fails (sum_bands.h).

namespace ropescope {

namespace {

/// Steps of ln b inside a window; for contexts above the second number they grow with them, as every look costs more.
constexpr double kLimitsSearchGap = 1e-4, kFineContext = 16384;
constexpr double kLimitsSearchNone = std::numeric_limits<double>::infinity();

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
std::vector<BaseWindow> windows_of_segment(BaseWalk& walk, double from, double to, double step,
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

}  // namespace

void require_search(const BaseSearch& search) {
  if (search.rotary_dim < 2 || search.rotary_dim > kLargestDimension || search.rotary_dim % 2 != 0) {
    throw InputError("rotary.dimension", {{"dim", search.rotary_dim}, {"least", 2}, {"most", kLargestDimension}});
  }
  if (search.context < 1) {
    throw InputError("decay.context", {{"positions", search.context}});
  }
  if (!(search.lowest > 1 && search.lowest <= search.highest && std::isfinite(search.highest))) {
    throw InputError("decay.bases", {{"lowest", search.lowest}, {"highest", search.highest}});
  }
}

std::optional<long double> smallest_admissible(const BaseSearch& search, const std::stop_token& stop) {
  Segments segments(search);
  std::atomic<double> found = kLimitsSearchNone;
  const std::thread::id caller = std::this_thread::get_id();
  share_work(search.threads, [&] {
    const bool tells = search.progress && std::this_thread::get_id() == caller;
    BaseWalk walk(search.rotary_dim, search.context, stop);
    for (std::int64_t i = segments.next++; i < segments.count() && segments.from(i) < found; i = segments.next++) {
      walk.forget();
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
  if (found == kLimitsSearchNone) return std::nullopt;
  const long double edge = BaseWalk(search.rotary_dim, search.context, stop).exact_edge(found, segments.begin);
  return stop.stop_requested() ? std::nullopt : std::optional(edge);
}

std::optional<double> smallest_base(const BaseSearch& search, std::stop_token stop) {
  require_search(search);
  const std::optional<long double> edge = smallest_admissible(search, stop);
  if (!edge) return std::nullopt;
  return std::clamp(static_cast<double>(std::exp(*edge)), search.lowest, search.highest);
}

std::vector<BaseWindow> admissible_windows(const BaseSearch& search, std::stop_token stop) {
  require_search(search);
  Segments segments(search);
  const double step = kLimitsSearchGap * std::max(1.0, static_cast<double>(search.context) / kFineContext);
  std::vector<std::vector<BaseWindow>> of_segment(static_cast<std::size_t>(segments.count()));
  share_work(search.threads, [&] {
    BaseWalk walk(search.rotary_dim, search.context, stop);
    for (std::int64_t i = segments.next++; i < segments.count() && !stop.stop_requested(); i = segments.next++) {
      walk.forget();
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
