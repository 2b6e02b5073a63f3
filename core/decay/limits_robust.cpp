#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "core/decay/base_walk.h"
#include "core/decay/limits_answers.h"
#include "core/decay/limits_search.h"
#include "core/decay/share_work.h"

namespace ropescope {

namespace {

/// Bases of the grid that one thread takes at a time.
constexpr std::int64_t kLimitsRobustBlock = 256;
/// A level below which it proves nothing.
constexpr double kLeastLevel = 1e-3;

/// highest·1.0005^−k as ln b.
struct Grid {
  double top, step = std::log(kRobustRatio);
  std::int64_t count;
  explicit Grid(const BaseSearch& search)
      : top(std::log(search.highest)), count(static_cast<std::int64_t>((top - std::log(search.lowest)) / step) + 1) {}
  double at(std::int64_t k) const { return top - step * static_cast<double>(k); }
};

/// A way down the grid. Where all sums up to the context lie above a level c, none is negative at any base down to
/// x − u with u·e^u ≤ c/D, for D (base_walk.h) grows by at most e^u on the way: those bases need not be looked at.
class Descent {
 public:
  Descent(const BaseSearch& search, const std::stop_token& stop)
      : search_(search), stop_(stop), level_(search.rotary_dim / 4.0) {}

  /// How far down from x no base fails, 0 where only x is known not to; negative where it fails.
  double held_below(double x, double step) {
    sums_.set_plain(search_.rotary_dim, std::exp(x));
    const double slope = steepest_slope(sums_.frequencies(), static_cast<double>(search_.context));
    for (; level_ > kLeastLevel && 0.999 * level_ > step * slope; level_ /= 2) {
      bool above = true;
      sums_.visit_below(1, search_.context, level_, stop_, [&above](std::int64_t, double) { return above = false; });
      if (!above) continue;
      if (!(slope > 0)) return HUGE_VAL;
      const double most = 0.999 * level_ / slope;
      return most * std::exp(-most);
    }
    return sums_.first_negative(1, search_.context, stop_) ? -1 : 0;
  }

 private:
  const BaseSearch& search_;
  std::stop_token stop_;
  CosineSums sums_;
  double level_;
};

/// The first base of the grid that fails, its length where none does.
std::int64_t first_failing(const BaseSearch& search, const Grid& grid, const std::stop_token& stop) {
  std::atomic<std::int64_t> next = 0, found = grid.count;
  const std::thread::id caller = std::this_thread::get_id();
  share_work(search.threads, [&] {
    const bool tells = search.progress && std::this_thread::get_id() == caller;
    for (std::int64_t begin = next.fetch_add(kLimitsRobustBlock); begin < found && !stop.stop_requested();
         begin = next.fetch_add(kLimitsRobustBlock)) {
      Descent descent(search, stop);
      for (std::int64_t k = begin; k < std::min(begin + kLimitsRobustBlock, found.load()) && !stop.stop_requested();) {
        if (tells) search.progress(std::exp(grid.at(k)));
        const double held = descent.held_below(grid.at(k), grid.step);
        if (held < 0) {
          std::int64_t known = found;
          while (k < known && !found.compare_exchange_weak(known, k)) {
          }
          break;
        }
        k += 1 + static_cast<std::int64_t>(std::min(held / grid.step, static_cast<double>(kLimitsRobustBlock)));
      }
    }
  });
  return found;
}

}  // namespace

std::optional<RobustBase> robust_base(const BaseSearch& search, std::stop_token stop) {
  require_search(search);
  const Grid grid(search);
  const std::int64_t failing = first_failing(search, grid, stop);
  if (stop.stop_requested() || failing == 0) return std::nullopt;
  BaseWindow edge{search.lowest, search.lowest};
  if (failing < grid.count) {
    BaseWalk walk(search.rotary_dim, search.context, stop);
    const double held = grid.at(failing - 1);
    edge = {static_cast<double>(std::exp(walk.exact_edge_between(grid.at(failing), held))), std::exp(held)};
  } else {
    edge.high = std::exp(grid.at(grid.count - 1));
  }
  edge.high = std::min(std::max(edge.low, edge.high), search.highest);
  const auto holds = [&](double base) {
    return base_holds(search.rotary_dim, base, search.context, search.threads, stop);
  };
  const auto base = rounded_base(edge, true, kLongBase, holds), rounded = rounded_base(edge, true, kShortBase, holds);
  if (stop.stop_requested() || !base || !rounded) return std::nullopt;
  return RobustBase{base->value, *rounded};
}

}  // namespace ropescope
