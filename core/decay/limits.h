#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace ropescope {

/// Distances are looked at up to here; a sum that stays non-negative so far has no known end.
inline constexpr std::int64_t kFarthestDistance = std::int64_t{1} << 24;

/// The smallest m ≥ 1 with B_m = Σ_i cos(mθ_i) < 0, none up to `limit` or when stopped (arXiv
/// 2405.14591). d = 128, b = 10 000: 1 707. `threads` 0: all cores. `progress` is told by the caller's thread which
/// distance is looked at. Throws InputError without a pair.
std::optional<std::int64_t> first_negative_distance(const Eigen::VectorXd& frequencies,
                                                    std::int64_t limit = kFarthestDistance, int threads = 0,
                                                    std::stop_token stop = {},
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
                                    int threads = 0, std::stop_token stop = {});

/// d_c = 2⌈(d/2) log_b(L/2π)⌉, clamped to 0…d: pairs beyond it never finish a turn in training (arXiv 2310.05209).
/// Llama 2 (d = 128, b = 1e4, L = 4 096): 92. Throws InputError unless b is finite and above 1 and L finite, from 1 on.
int critical_dimension(int rotary_dim, double base, double trained_length);
/// The same of any ladder: twice the number of its pairs that finish a turn in L positions (λ ≤ L). On a plain ladder
/// it is the formula's; pairs that stand still never finish one. Throws as above.
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

}  // namespace ropescope
