// What a decay curve tells: phasors of its pairs, where it falls, its trend, and the cosine integral that it follows.
// Read kernel.h first: it computes the curve.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/decay/kernel.h"

namespace ropescope {

// --- Analysis ------------------------------------------------------------------------------------------------------

/// What a similarity curve K(0…span) sampled at every integer distance says in numbers. Distances are indices of the
/// span.
struct DecaySummary {
  std::optional<std::int64_t> first_negative;    ///< smallest Δ with K(Δ) < 0
  std::optional<std::int64_t> first_below_half;  ///< smallest Δ with K(Δ) < 1/2
  std::optional<std::int64_t> last_above_half;   ///< largest Δ with K(Δ) > 1/2 within the span
  std::int64_t zero_crossings = 0;  ///< number of Δ with K(Δ−1)·K(Δ) < 0, or a change of sign across zeros
  double minimum = 0;
  std::int64_t minimum_at = 0;
};
DecaySummary summarise_decay(std::span<const double> similarity);

/// The distances Δ at which the sign differs from that of the last nonzero value before.
std::vector<std::int64_t> zero_crossings(std::span<const double> similarity);

/// E(Δ) = max over Δ' ≥ Δ (within the span) of |K(Δ')|: never increases.
std::vector<double> envelope_from(std::span<const double> similarity);

/// W(Δ) = max of |K| over the window [Δ − w/2, Δ + w/2] clipped to the span, w ≥ 1 positions.
std::vector<double> envelope_window(std::span<const double> similarity, std::int64_t window);

/// Whether a pair turns, but never once around in L positions: θ ≠ 0 and λ = 2π/θ > L. A pair that stands still never
/// meets another phase: it is no such one.
bool is_unfinished(double frequency, double length);
/// How many such pairs there are: those with unseen phases, of the frequencies that training turned by.
int unfinished_pairs(const Eigen::VectorXd& frequencies, double length);

// --- Phasors of pairs ----------------------------------------------------------------------------------------------

/// The unit arrows e^{iΔθ_i} of the n pairs laid head to tail from 0, in an order: the partial sums of RoFormer's
/// section 3.4.3.
struct PhasorSums {
  std::vector<std::complex<double>> joints;  ///< S_1 … S_n, S_j = Σ_{i<j} e^{iΔθ_i}
  double similarity = 0;                     ///< K(Δ) = Re S_n / n
  double length = 0;                         ///< |S_n| / n
  double mean_distance = 0;                  ///< B(Δ) = (1/n) Σ_{j=1..n} |S_j|, as abel_bound()
};
/// Any real distance. Throws InputError without a pair.
PhasorSums phasor_sums(const Eigen::VectorXd& frequencies, double distance, PairOrder order = PairOrder::fast_first);

/// Abel's transformation of the score with the bounds that follow from it (RoFormer, arXiv 2104.09864, equations 35 to
/// 37), h_i = a_i e^{iφ_i} the content in the order of the sum, h_n = 0, each over Σ |h_i|:
/// score ≤ |score| ≤ size = transformed ≤ terms ≤ bound.
struct AbelChain {
  double score = 0;        ///< Re Σ h_i e^{iΔθ_i}, the K(Δ) of the content: may be negative
  double size = 0;         ///< |Σ h_i e^{iΔθ_i}|
  double transformed = 0;  ///< |Σ S_{i+1} (h_{i+1} − h_i)|: the same number from the other side of equation 36
  double terms = 0;        ///< Σ |S_{i+1}| |h_{i+1} − h_i|
  double bound = 0;        ///< max_i |h_{i+1} − h_i| · Σ |S_{i+1}|, which is bound_factor() · B(Δ)
};
/// Throws InputError without a pair and where the content does not fit.
AbelChain abel_chain(const Eigen::VectorXd& frequencies, double distance, const Content& content = {},
                     PairOrder order = PairOrder::fast_first);

// --- Trend ---------------------------------------------------------------------------------------------------------

/// The course of the similarity's local mean: K with the waves that a sum of few cosines makes taken out. With u = i/n
/// the sum (1/n) Σ cos(Δθ_i) becomes ∫_0^1 cos(Δθ(u)) du, where ln θ(u) runs straight from pair to pair and goes on
/// after the last one as before it: on a piece on which ln θ falls evenly from θ_a to θ_b,
/// (Ci(Δθ_a) − Ci(Δθ_b))/ln(θ_a/θ_b). The sum has no term at u = 1, which Euler and Maclaurin put at half a step:
/// − cos(Δθ(1))/(2n). Pairs that stand still add 1/n each. Of a plain ladder
///   T(Δ) = (Ci(Δ) − Ci(Δ/b))/ln b − cos(Δ/b)/d,
/// which for 1 ≪ Δ ≪ b is nearly the straight line 1 − (ln Δ + 0.5772)/ln b over ln Δ, whatever d.
struct SimilarityTrend {
  /// A stretch of the ladder on which ln θ falls evenly, and how many pairs it stands for.
  struct Piece {
    double fast = 0, slow = 0;  ///< frequencies at its ends, radians per position
    double pairs = 0;
  };
  std::vector<Piece> pieces;  ///< the fastest first
  double end_frequency = 0;   ///< θ(1)
  int still = 0, pairs = 0;   ///< pairs that stand still, and all pairs
};

/// The trend of aligned content on these frequencies, in any order. None where fewer than two pairs move: a single pair
/// has no average course, it swings for ever. Throws InputError without a pair, or where a frequency is negative or not
/// finite.
std::optional<SimilarityTrend> trend_of(const Eigen::VectorXd& frequencies);

/// T(Δ) at any real distance; T(0) = 1 − 1/d.
double trend_at(const SimilarityTrend& trend, double distance);

/// The smallest Δ > 0 with T(Δ) = 0: near 0.6·b on a plain ladder. None where T stays positive, as with enough pairs
/// that stand still.
std::optional<double> trend_zero(const SimilarityTrend& trend);

/// The first of the distances that trend_zero looks at, and of `distance` itself, up to `distance`, where T < 0: none
/// where the trend has not come below 0 by then. Those are not evaluated where a bound says that T is above 0: as
/// d Ci(x)/d ln x = cos x,
///   n·dT/d ln Δ = Σ_pieces ρ (cos Δθ_a − cos Δθ_b) + Δθ(1)·sin(Δθ(1))/2,  ρ = pairs/ln(θ_a/θ_b),
/// and as a piece begins where the one before it ends, |dT/d ln Δ| ≤ (Σ |jumps of ρ|, both ends included, + Δθ(1)/2)/n.
std::optional<double> trend_below_zero(const SimilarityTrend& trend, double distance);

// --- The cosine integral -------------------------------------------------------------------------------------------

/// Ci(x) = γ + ln x + ∫_0^x (cos t − 1)/t dt for x > 0: the mean of cos over a stretch of ln x, as
/// ∫_a^b cos(x)/x dx = Ci(b) − Ci(a). Absolute error ≤ 2e-15. −∞ at 0, 0 at ∞, NaN below 0. Source: NIST Digital
/// Library of Mathematical Functions, 6.2.11, 6.6.6 and 6.9.1.
double cosine_integral(double x);

}  // namespace ropescope
