// Which base a context needs: the lower bound of the base by the requirement ΣcosΔθ ≥ 0, by information and by
// robustness; the largest context of a base, and what a factor of extension allows. Read kernel.h first; the search
// stands on the sums of sums.h.
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

/// Distances are looked at up to here; a sum that stays non-negative so far has no known end.
inline constexpr std::int64_t kFarthestDistance = std::int64_t{1} << 24;

/// The smallest m ≥ 1 with B_m = Σ_i cos(mθ_i) < 0, none up to `limit` or when stopped (arXiv
/// 2405.14591). d = 128, b = 10 000: 1 707. `progress` is told by the caller's thread which
/// distance is looked at. Throws InputError without a pair.
std::optional<std::int64_t> first_negative_distance(const Eigen::VectorXd& frequencies,
                                                    std::int64_t limit = kFarthestDistance, const Work& work = {},
                                                    const std::function<void(std::int64_t)>& progress = {});

/// The smallest base from `lowest` on whose plain ladder allows the context, to the last place of a double (rounded to
/// the nearest one, on which sums in double may still be negative); none up to `highest`, or when stopped. Every base
/// below it is proven to fail, but for windows narrower than a relative 2e-7. `progress` is told by the caller's thread
/// which base is looked at. `threads` 0: all cores. d = 128: 26 952.3 (4 096), 83 763.8 (8 192), 629 978 (32 768), 4
/// 869 104 (131 072). Throws InputError unless d is even in 2…8192, the context at least 1 and 1 < lowest ≤ highest,
/// both finite.
struct BaseSearch {
  int rotary_dim = 128;
  std::int64_t context = 4096;
  double lowest = 1.01, highest = 1e12;
  int threads = 0;
  std::function<void(double base)> progress = {};
};
std::optional<double> smallest_base(const BaseSearch& search, std::stop_token stop = {});

/// The windows of bases between `lowest` and `highest` that allow the context, ascending, edges to a relative 1e-9;
/// empty where stopped. Below a window all bases are proven to fail as for smallest_base; a gap between two windows
/// that is narrower than a relative 1e-4 (or context/16 384 times as much, if that is more) can be missed. d = 128, L =
/// 4 096: 16 windows from 26 952 on, the last from 58 788. Throws as smallest_base does.
struct BaseWindow {
  double low = 0, high = 0;
};
std::vector<BaseWindow> admissible_windows(const BaseSearch& search, std::stop_token stop = {});

/// Largest context of each base: first negative distance − 1, `farthest` where there is none up to it. One point of the
/// Limits curve; the curve shows the windows only if neighbouring bases are at most a ratio of 1.001 … 1.01 apart.
/// Empty where stopped. Throws InputError unless every ladder exists and farthest is at least 1.
struct LimitPoint {
  double base = 0;
  std::int64_t largest_context = 0;
};
std::vector<LimitPoint> limit_curve(int rotary_dim, std::span<const double> bases, std::int64_t farthest,
                                    const Work& work = {});

/// d_c = 2⌈(d/2) log_b(L/2π)⌉, clamped to 0…d: pairs beyond it never finish a turn in training (arXiv 2310.05209).
/// Llama 2 (d = 128, b = 1e4, L = 4 096): 92. Throws InputError unless b is finite and above 1 and L finite, from 1 on.
int critical_dimension(int rotary_dim, double base, double trained_length);
/// The critical dimension of any ladder: twice the number of its pairs that finish a turn in L positions (λ ≤ L). On a
/// plain ladder it is the formula's; pairs that stand still never finish one. Throws as above.
int critical_dimension(const Eigen::VectorXd& frequencies, double trained_length);
/// The frequencies that a model was trained with: those of the plain ladder, but 0 where the ladder in use stands still
/// (Gemma 4's proportional one), as no extension stops a pair. Precondition: as many of one as of the other.
Eigen::VectorXd trained_frequencies(const Eigen::VectorXd& plain, const Eigen::VectorXd& in_use);

/// What one pair does over positions 0 … L − 1.
struct PairInformation {
  double turns = 0;  ///< Lθ/2π
  double variance_cos = 0, variance_sin = 0;
  double moving = 0;  ///< 1 − |mean over m < L of e^{imθ}|² = both variances together, 0 (still) … 1
};
/// Throws InputError unless the context is a finite number from 1 on.
std::vector<PairInformation> pair_information(const Eigen::VectorXd& frequencies, double context);
/// Σ moving: the effective number of moving pairs.
double effective_pairs(const Eigen::VectorXd& frequencies, double context);
/// Number of pairs that turn, but through less than `radians` over the context (2π: never finish a turn; π/2: a quarter
/// turn). d = 3 072, b = 1e4, L = 8 192: 339 and 108 of 1 536.
int pairs_below_angle(const Eigen::VectorXd& frequencies, double context, double radians);
/// The frequencies of the pairs that finish at least one turn in the context: what is left when the still ones are
/// dropped.
Eigen::VectorXd finished_frequencies(const Eigen::VectorXd& frequencies, double context);

// --- Factors of extension ------------------------------------------------------------------------------------------

/// When a ladder is said to allow a context of L positions.
enum class ContextCriterion {
  non_negative,  ///< Σ cos(mθ_i) ≥ 0 for all 1 ≤ m ≤ L: a similar token counts no less than a random one (Men et al.,
                 ///< Base of RoPE Bounds Context Length, arXiv 2405.14591)
  level,  ///< (1/n) Σ cos(mθ_i) ≥ level for all 1 ≤ m ≤ L
  mean,   ///< the local mean of the similarity (analysis.h) has not come below 0 up to L
  seen    ///< no unseen phase: a pair that did not finish a turn in training, Tθ_i < 2π on the trained ladder of T
          ///< positions, turns no farther in L positions than it did then (Liu et al., arXiv 2310.05209)
};
/// "non-negative", "level", "mean", "seen".
std::string_view criterion_name(ContextCriterion criterion);
std::optional<ContextCriterion> criterion_of(std::string_view name);

/// A context that is asked for, by which criterion.
struct ContextQuestion {
  ContextCriterion criterion = ContextCriterion::non_negative;
  std::int64_t context = 4096;
  double level = 0;           ///< of ContextCriterion::level, −1 … 1
  Eigen::VectorXd trained;    ///< of ContextCriterion::seen: the frequencies in training, as many as the ladder's
  double trained_length = 0;  ///< and its positions
};
/// Whether the ladder (radians per position) allows the context; true where stopped. Throws InputError without a pair,
/// for a context below 1, a level outside −1 … 1, and where `seen` lacks a trained ladder of as many pairs or its
/// length.
bool ladder_allows(const Eigen::VectorXd& frequencies, const ContextQuestion& question, std::stop_token stop = {});

/// Ratio of neighbouring factors that are looked at, and the largest one, which is the largest that a method takes.
inline constexpr double kFactorRatio = 1.001, kLargestSearchedFactor = 10000;

/// The factors with which a method of context extension allows a context. On the grid 1.001^k, k = 0, 1, …, up to
/// 10 000 the first that does is found, and from the largest down the first that does not; then the edge between it and
/// its neighbour, by halving, and the least decimal number above the edge, of six significant digits or as many more as
/// it takes, that passes when it is read back. What lies between two factors of the grid may be missed: a window that
/// is narrower than 1.001, or a failure that is.
struct AllowingFactors {
  std::optional<double> smallest;  ///< none where no factor up to the largest allows it
  std::optional<double> robust;    ///< the smallest above which none failed; none where the largest fails
};
/// `ladder` gives the frequencies for a factor, from any thread. `progress` is told by the caller's thread which share,
/// 0 … 1, of the grid is done. None where stopped. Throws as ladder_allows, and what `ladder` throws.
std::optional<AllowingFactors> allowing_factors(const std::function<Eigen::VectorXd(double factor)>& ladder,
                                                const ContextQuestion& question, const Work& work = {},
                                                const std::function<void(double done)>& progress = {});

// --- Answers -------------------------------------------------------------------------------------------------------

/// Whether Σ_i cos(mθ_i) ≥ 0 for all 1 ≤ m ≤ context on the ladder of plain_frequencies: what a base that is shown must
/// pass when it is read back. True where stopped. Throws as smallest_base.
bool base_holds(int rotary_dim, double base, std::int64_t context, const Work& work = {});

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
                                            std::int64_t limit = kFarthestDistance, const Work& work = {});

}  // namespace ropescope
