// The relation between base and context: the smallest base that satisfies Σ cos Δθ ≥ 0 over a context, its robustness,
// the largest context of a base, and the factors of an extension that allow a context. Read kernel.h first; the search
// uses sums.h.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/parallel.h"

namespace ropescope {

// --- The requirement -----------------------------------------------------------------------------------------------

/// Upper limit of the search over distances; a sum that is non-negative up to here has no known limit.
inline constexpr std::int64_t kFarthestDistance = std::int64_t{1} << 24;

/// Returns the smallest m ≥ 1 with B_m = Σ_i cos(mθ_i) < 0 (arXiv 2405.14591); nullopt if there is none up to `limit`
/// or if cancelled. d = 128, b = 10 000: 1 707. The calling thread reports the current distance to `progress`. Throws
/// InputError if there are no pairs.
std::optional<std::int64_t> first_negative_distance(const Eigen::VectorXd& frequencies,
                                                    std::int64_t limit = kFarthestDistance, const Work& work = {},
                                                    const std::function<void(std::int64_t)>& progress = {});

/// Parameters of smallest_base(), which returns the smallest base ≥ `lowest` whose plain ladder allows the context,
/// rounded to the nearest double (at which sums in double may still be negative); nullopt if there is none up to
/// `highest` or if cancelled. Every smaller base is proven to fail, except in windows narrower than a relative 2e-7.
/// The calling thread reports the current base to `progress`. For `threads`, 0 means all cores. For d = 128: 26 952.3
/// (L = 4 096), 83 763.8 (8 192), 629 978 (32 768), 4 869 104 (131 072). Throws InputError unless d is even in 2…8192,
/// context ≥ 1 and 1 < lowest ≤ highest, both finite.
struct BaseSearch {
  int rotary_dim = 128;
  std::int64_t context = 4096;
  double lowest = 1.01, highest = 1e12;
  int threads = 0;
  std::function<void(double base)> progress = {};
};
std::optional<double> smallest_base(const BaseSearch& search, std::stop_token stop = {});

/// A window of bases that allow the context. admissible_windows() returns those between `lowest` and `highest`,
/// ascending, edges accurate to a relative 1e-9; empty if cancelled. All bases below a window are proven to fail as in
/// smallest_base(). A gap narrower than a relative 1e-4 (or context/16 384 times that, if larger) can be missed. For d
/// = 128, L = 4 096: 16 windows from 26 952 on, the last from 58 788. Throws as smallest_base().
struct BaseWindow {
  double low = 0, high = 0;
};
std::vector<BaseWindow> admissible_windows(const BaseSearch& search, std::stop_token stop = {});

/// A point of the Limits curve: a base and its largest context, the first negative distance − 1, or `farthest` if there
/// is none. The curve resolves the windows only if consecutive bases differ by a ratio of at most 1.001 … 1.01. Empty
/// if cancelled. Throws InputError if a ladder is invalid or farthest < 1.
struct LimitPoint {
  double base = 0;
  std::int64_t largest_context = 0;
};
std::vector<LimitPoint> limit_curve(int rotary_dim, std::span<const double> bases, std::int64_t farthest,
                                    const Work& work = {});

/// Returns d_c = 2⌈(d/2) log_b(L/2π)⌉ in 0…d: later pairs never complete a turn in training (arXiv 2310.05209). Llama 2
/// (d = 128, b = 1e4, L = 4 096): 92. Throws InputError unless b is finite and > 1 and L finite and ≥ 1.
int critical_dimension(int rotary_dim, double base, double trained_length);
/// Returns the critical dimension of any ladder: twice the number of pairs that complete a turn in L positions (λ ≤ L).
/// For a plain ladder it equals the formula; static pairs never complete a turn. Throws as the overload above.
int critical_dimension(const Eigen::VectorXd& frequencies, double trained_length);
/// Returns the frequencies used in training: those of the plain ladder, but 0 for pairs that are static in the ladder
/// in use (Gemma 4's proportional ladder), because no extension stops a pair. Precondition: equal sizes.
Eigen::VectorXd trained_frequencies(const Eigen::VectorXd& plain, const Eigen::VectorXd& in_use);

/// Movement of a pair over positions 0 … L − 1.
struct PairInformation {
  double turns = 0;  ///< Lθ/2π
  double variance_cos = 0, variance_sin = 0;
  double moving = 0;  ///< 1 − |mean over m < L of e^{imθ}|² = sum of both variances, 0 (static) … 1
};
/// Returns the information of each pair. Throws InputError unless the context is a finite number ≥ 1.
std::vector<PairInformation> pair_information(const Eigen::VectorXd& frequencies, double context);
/// Returns Σ moving, the effective number of moving pairs.
double effective_pairs(const Eigen::VectorXd& frequencies, double context);
/// Returns the number of pairs that are rotated by less than `radians` over the context, static pairs excluded (2π:
/// never complete a turn; π/2: a quarter turn). d = 3 072, b = 1e4, L = 8 192: 339 and 108 of 1 536.
int pairs_below_angle(const Eigen::VectorXd& frequencies, double context, double radians);
/// Returns the frequencies of the pairs that complete at least one turn in the context.
Eigen::VectorXd finished_frequencies(const Eigen::VectorXd& frequencies, double context);

// --- Factors of extension ------------------------------------------------------------------------------------------

/// The criterion by which a ladder allows a context of L positions.
enum class ContextCriterion {
  non_negative,  ///< Σ cos(mθ_i) ≥ 0 for all 1 ≤ m ≤ L: a similar token counts no less than a random one (Men et al.,
                 ///< Base of RoPE Bounds Context Length, arXiv 2405.14591)
  level,  ///< (1/n) Σ cos(mθ_i) ≥ level for all 1 ≤ m ≤ L
  mean,   ///< the local mean of the similarity (analysis.h) is not negative up to L
  seen    ///< no unseen phase: a pair that did not complete a turn in training, Tθ_i < 2π on the trained ladder of T
          ///< positions, rotates no farther in L positions than it did then (Liu et al., arXiv 2310.05209)
};
/// Returns the name of a criterion: "non-negative", "level", "mean" or "seen".
std::string_view criterion_name(ContextCriterion criterion);
std::optional<ContextCriterion> criterion_of(std::string_view name);

/// A required context, and the criterion for it.
struct ContextQuestion {
  ContextCriterion criterion = ContextCriterion::non_negative;
  std::int64_t context = 4096;
  double level = 0;           ///< for ContextCriterion::level, −1 … 1
  Eigen::VectorXd trained;    ///< for ContextCriterion::seen: the frequencies in training, as many as the ladder's
  double trained_length = 0;  ///< for ContextCriterion::seen: L in training
};
/// Returns whether the ladder (radians per position) allows the context; true if cancelled. Throws InputError if there
/// are no pairs, the context is < 1, the level is outside −1 … 1, or `seen` lacks a trained length or a trained ladder
/// with the same number of pairs.
bool ladder_allows(const Eigen::VectorXd& frequencies, const ContextQuestion& question, std::stop_token stop = {});

/// Ratio of consecutive tested factors, and the largest factor, which is the maximum that a method accepts.
inline constexpr double kFactorRatio = 1.001, kLargestSearchedFactor = 10000;

/// The factors with which a context extension method allows a context. On the grid 1.001^k, k = 0, 1, …, up to 10 000,
/// the search finds the first factor that is allowed and, from the largest down, the first that is not. The edge next
/// to it is located by bisection. The result is the smallest decimal number above the edge that is allowed, with six
/// significant digits or more if needed. Windows or failures narrower than a ratio of 1.001 may be missed.
struct AllowingFactors {
  std::optional<double> smallest;  ///< nullopt if no factor up to the largest allows it
  std::optional<double> robust;    ///< the smallest above which none failed; nullopt if the largest fails
};
/// Computes them. `ladder` returns the frequencies for a factor and is called from any thread. The calling thread
/// reports the completed share, 0 … 1, to `progress`. Returns nullopt if cancelled. Throws as ladder_allows() and as
/// `ladder`.
std::optional<AllowingFactors> allowing_factors(const std::function<Eigen::VectorXd(double factor)>& ladder,
                                                const ContextQuestion& question, const Work& work = {},
                                                const std::function<void(double done)>& progress = {});

// --- Answers -------------------------------------------------------------------------------------------------------

/// Returns whether Σ_i cos(mθ_i) ≥ 0 for all 1 ≤ m ≤ context with plain_frequencies(); every displayed base passes this
/// test when read back. True if cancelled. Throws as smallest_base().
bool base_holds(int rotary_dim, double base, std::int64_t context, const Work& work = {});

/// Returns the decimal number with `digits` significant digits nearest to a value. Precondition: finite, not 0.
double nearest_decimal(double value, int digits);

/// A displayed base: the decimal number with `digits` significant digits nearest to the value, which it equals.
struct RoundedBase {
  double value = 0;
  int digits = 17;
};
/// Significant digits of a base: for display, if sufficient, and for round trips (every double is distinguishable).
inline constexpr int kShortBase = 6, kLongBase = 15;

/// Returns the number with the fewest significant digits, from `digits` to 17, in the window for which `holds` is true:
/// the smallest such number (`upwards`) or the largest. Returns nullopt if there is none.
std::optional<RoundedBase> rounded_base(const BaseWindow& window, bool upwards, int digits,
                                        const std::function<bool(double)>& holds);

/// The smallest base that allows a context, as in smallest_base(), and the window above it.
struct SmallestWindow {
  double exact = 0;   ///< the edge itself, rounded to the nearest double: sums may still be negative there
  BaseWindow window;  ///< every base in it is proven to be allowed, including both ends, in at most 17 digits
  bool ends = false;  ///< whether the window ends at `high`; if not, the search ended there or `highest` was reached
  RoundedBase rounded,
      rounded_high;  ///< the smallest and largest base in it with the fewest digits, from kShortBase on
};
/// Finds it. d = 128, L = 4 096: 26 952.339…, window up to 26 973.1, rounded 26 952.4. A window that contains no
/// allowed double is skipped. Returns nullopt, and throws, as smallest_base() does.
std::optional<SmallestWindow> smallest_window(const BaseSearch& search, std::stop_token stop = {});

/// Ratio of consecutive bases of the grid on which a robust base is tested.
inline constexpr double kRobustRatio = 1.0005;

/// The smallest base above which no tested base fails.
struct RobustBase {
  double base = 0;      ///< in at most 17 digits; allowed
  RoundedBase rounded;  ///< with the fewest digits, from kShortBase on, that keep it below the next base of the grid
};
/// Returns the smallest base above which none of highest·1.0005^−k, k = 0, 1, …, fails, refined to the edge at which
/// the last failing distance below it stops failing. `lowest` if none fails; nullopt if `highest` fails or if
/// cancelled. Narrow failures between bases of the grid may be missed. The calling thread reports the current base to
/// `progress`, from `highest` down. d = 128: 58 789.504… (L = 4 096). Throws as smallest_base().
std::optional<RobustBase> robust_base(const BaseSearch& search, std::stop_token stop = {});

/// The largest context that remains when the base is perturbed by up to ±1 %.
struct PerturbedContext {
  double base = 0;                       ///< the worst of the bases, the smallest one among equals
  std::optional<std::int64_t> negative;  ///< its first negative distance; nullopt if there is none up to the limit
  RoundedBase rounded = {};  ///< a base with the same distance within 1 %, in the fewest digits, from kShortBase on
  std::optional<std::int64_t> largest() const { return negative ? std::optional(*negative - 1) : std::nullopt; }
};
/// Returns the smallest first negative distance over the ladders of b·1.01^(k/20), k = −20 … 20, with bases in 15
/// digits and those ≤ 1 omitted. `ladder` returns the frequencies for a base. Returns nullopt if cancelled.
std::optional<PerturbedContext> perturbed_context(double base, const std::function<Eigen::VectorXd(double)>& ladder,
                                                  std::int64_t limit = kFarthestDistance, const Work& work = {});

}  // namespace ropescope
