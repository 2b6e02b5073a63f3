#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace ropescope {

/// When a ladder is said to allow a context of L positions.
enum class ContextCriterion {
  non_negative,  ///< Σ cos(mθ_i) ≥ 0 for all 1 ≤ m ≤ L: a similar token counts no less than a random one (Men et al.,
                 ///< Base of RoPE Bounds Context Length, arXiv 2405.14591)
  level,  ///< (1/n) Σ cos(mθ_i) ≥ level for all 1 ≤ m ≤ L
  mean,   ///< the local mean of the similarity (trend.h) has not come below 0 up to L
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
                                                const ContextQuestion& question, int threads = 0,
                                                std::stop_token stop = {},
                                                const std::function<void(double done)>& progress = {});

}  // namespace ropescope
