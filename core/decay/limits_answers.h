#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>

#include "core/decay/limits.h"

namespace ropescope {

/// Whether Σ_i cos(mθ_i) ≥ 0 for all 1 ≤ m ≤ context on the ladder of plain_frequencies: what a base that is shown must
/// pass when it is read back. True where stopped. Throws as smallest_base.
bool base_holds(int rotary_dim, double base, std::int64_t context, int threads = 0, std::stop_token stop = {});

/// The decimal number of so many significant digits nearest to a value, as a double. Precondition: finite, not 0.
double nearest_decimal(double value, int digits);

/// A base as it is written: the decimal number of so many significant digits nearest to the value reads back as it.
struct RoundedBase {
  double value = 0;
  int digits = 17;
};
/// Digits of a base for people, where they are enough, and for machines: every double of them is told apart.
inline constexpr int kShortBase = 6, kLongBase = 15;

/// The number of the fewest significant digits, from `digits` to 17, in the window that holds: the least of them
/// (`upwards`) or the greatest. None where no number in it does.
std::optional<RoundedBase> rounded_base(const BaseWindow& window, bool upwards, int digits,
                                        const std::function<bool(double)>& holds);

/// The smallest base that allows a context, as smallest_base finds it, with what holds above it.
struct SmallestWindow {
  double exact = 0;   ///< the edge itself, rounded to the nearest double: sums may still be negative there
  BaseWindow window;  ///< every base in it is proven to be allowed; both ends hold, in at most 17 digits
  bool ends = false;  ///< whether the window ends at `high`: if not, no more was looked at, or `highest` reached
  RoundedBase rounded,
      rounded_high;  ///< the least and the greatest base in it of the fewest digits, from kShortBase on
};
/// d = 128, L = 4 096: 26 952.339…, window up to 26 973.1, rounded 26 952.4. A window in which no double holds is
/// passed over. None and errors as smallest_base.
std::optional<SmallestWindow> smallest_window(const BaseSearch& search, std::stop_token stop = {});

/// Ratio of neighbouring bases of the grid on which a robust base is known to be one.
inline constexpr double kRobustRatio = 1.0005;

/// The base above which none failed.
struct RobustBase {
  double base = 0;      ///< in at most 17 digits; holds
  RoundedBase rounded;  ///< in as few digits, from kShortBase on, as leave it below the next base of the grid
};
/// The smallest base above which none of highest·1.0005^−k, k = 0, 1, …, fails; refined to the edge where the last
/// failing distance below it stops failing. `lowest` where none fails. None where `highest` fails, and where stopped.
/// Bases between those of the grid may fail: a narrow failure is met or not by luck. `progress` is told by the caller's
/// thread which base is looked at, from `highest` down. d = 128: 58 789.504… (L = 4 096). Throws as smallest_base.
std::optional<RobustBase> robust_base(const BaseSearch& search, std::stop_token stop = {});

/// What is left of a largest context when the base moves by up to ±1 %.
struct ShakenContext {
  double base = 0;                       ///< the worst of the bases, the smallest one among equals
  std::optional<std::int64_t> negative;  ///< its first negative distance; none up to the limit: all hold
  std::optional<std::int64_t> largest() const { return negative ? std::optional(*negative - 1) : std::nullopt; }
};
/// The least of the first negative distances of the ladders of b·1.01^(k/20), k = −20 … 20, each base in 15 digits,
/// those not above 1 left out. `ladder` gives the frequencies for a base. None where stopped.
std::optional<ShakenContext> shaken_context(double base, const std::function<Eigen::VectorXd(double)>& ladder,
                                            std::int64_t limit = kFarthestDistance, int threads = 0,
                                            std::stop_token stop = {});

}  // namespace ropescope
