// Analysis of decay curves: summary statistics, phasor sums, the trend, and the cosine integral. The curve itself is
// computed in kernel.h.
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

/// Summary of a similarity curve K(0…span) sampled at every integer distance. Distances are indices into the
/// curve.
struct DecaySummary {
  std::optional<std::int64_t> first_negative;    ///< smallest Δ with K(Δ) < 0
  std::optional<std::int64_t> first_below_half;  ///< smallest Δ with K(Δ) < 1/2
  std::optional<std::int64_t> last_above_half;   ///< largest Δ with K(Δ) > 1/2 within the span
  std::int64_t zero_crossings = 0;  ///< number of Δ with K(Δ−1)·K(Δ) < 0, or a change of sign across zeros
  double minimum = 0;
  std::int64_t minimum_at = 0;
};
DecaySummary summarise_decay(std::span<const double> similarity);

/// Returns the distances Δ at which the sign differs from that of the last nonzero value before Δ.
std::vector<std::int64_t> zero_crossings(std::span<const double> similarity);

/// Returns the envelope E(Δ) = max over Δ' ≥ Δ (within the span) of |K(Δ')|, which never increases.
std::vector<double> envelope_from(std::span<const double> similarity);

/// Returns W(Δ) = max of |K| over the window [Δ − w/2, Δ + w/2] clipped to the span, w ≥ 1 positions.
std::vector<double> envelope_window(std::span<const double> similarity, std::int64_t window);

/// Returns whether a pair rotates but does not complete a turn within L positions: θ ≠ 0 and λ = 2π/θ > L. Static pairs
/// have only one phase and are not counted.
bool is_unfinished(double frequency, double length);
/// Returns the number of pairs for which is_unfinished() holds, given the frequencies used in training.
int unfinished_pairs(const Eigen::VectorXd& frequencies, double length);
/// A run of adjacent pairs, both ends included.
struct PairRange {
  Eigen::Index first = 0, last = 0;
  bool operator==(const PairRange&) const = default;
};
/// Returns the pairs for which is_unfinished() holds, ascending. Llama 2 (L = 4 096): 46 … 63.
std::vector<PairRange> unfinished_ranges(const Eigen::VectorXd& frequencies, double length);

// --- Phasors of pairs ----------------------------------------------------------------------------------------------

/// Partial sums of the unit phasors e^{iΔθ_i} of the n pairs, in a given order (RoFormer's section 3.4.3).
struct PhasorSums {
  std::vector<std::complex<double>> joints;  ///< S_1 … S_n, S_j = Σ_{i<j} e^{iΔθ_i}
  double similarity = 0;                     ///< K(Δ) = Re S_n / n
  double length = 0;                         ///< |S_n| / n
  double mean_distance = 0;                  ///< B(Δ) = (1/n) Σ_{j=1..n} |S_j|, as abel_bound()
};
/// Computes the phasor sums at any real distance. Throws InputError if there are no pairs.
PhasorSums phasor_sums(const Eigen::VectorXd& frequencies, double distance, PairOrder order = PairOrder::fast_first);

/// Abel's transformation of the score with the bounds that follow from it (RoFormer, arXiv 2104.09864, equations 35 to
/// 37), h_i = a_i e^{iφ_i} the content in the order of the sum, h_n = 0, each over Σ |h_i|:
/// score ≤ |score| ≤ size = transformed ≤ terms ≤ bound.
struct AbelChain {
  double score = 0;        ///< Re Σ h_i e^{iΔθ_i}, the K(Δ) of the content: may be negative
  double size = 0;         ///< |Σ h_i e^{iΔθ_i}|
  double transformed = 0;  ///< |Σ S_{i+1} (h_{i+1} − h_i)|: equal to `size` by equation 36
  double terms = 0;        ///< Σ |S_{i+1}| |h_{i+1} − h_i|
  double bound = 0;        ///< max_i |h_{i+1} − h_i| · Σ |S_{i+1}|, which is bound_factor() · B(Δ)
};
/// Computes the chain of bounds. Throws InputError if there are no pairs or the content has the wrong size.
AbelChain abel_chain(const Eigen::VectorXd& frequencies, double distance, const Content& content = {},
                     PairOrder order = PairOrder::fast_first);

// --- Trend ---------------------------------------------------------------------------------------------------------

/// The trend of the similarity: K without the oscillations of a sum of few cosines. With u = i/n the sum
/// (1/n) Σ cos(Δθ_i) becomes ∫_0^1 cos(Δθ(u)) du, where ln θ(u) is linear between pairs and continues after the last
/// pair with the same slope. A piece on which ln θ falls linearly from θ_a to θ_b gives (Ci(Δθ_a) −
/// Ci(Δθ_b))/ln(θ_a/θ_b). The sum has no term at u = 1; the Euler–Maclaurin correction is half a step, −
/// cos(Δθ(1))/(2n). Each static pair adds 1/n. For a plain ladder
///   T(Δ) = (Ci(Δ) − Ci(Δ/b))/ln b − cos(Δ/b)/d,
/// which for 1 ≪ Δ ≪ b is nearly linear in ln Δ for every d: 1 − (ln Δ + 0.5772)/ln b.
struct SimilarityTrend {
  /// A range of the ladder in which ln θ falls linearly, and the number of pairs in it.
  struct Piece {
    double fast = 0, slow = 0;  ///< frequencies at its ends, radians per position
    double pairs = 0;
  };
  std::vector<Piece> pieces;  ///< the fastest first
  double end_frequency = 0;   ///< θ(1)
  int still = 0, pairs = 0;   ///< number of static pairs, and of all pairs
};

/// Computes the trend of aligned content for frequencies in any order. Returns nullopt if fewer than two pairs
/// rotate: a single pair oscillates forever. Throws InputError if there are no pairs or a frequency is negative or
/// not finite.
std::optional<SimilarityTrend> trend_of(const Eigen::VectorXd& frequencies);

/// Returns T(Δ) at any real distance; T(0) = 1 − 1/d.
double trend_at(const SimilarityTrend& trend, double distance);

/// Returns the smallest Δ > 0 with T(Δ) = 0, near 0.6·b on a plain ladder; nullopt if T stays positive, as it does with
/// enough static pairs.
std::optional<double> trend_zero(const SimilarityTrend& trend);

/// Returns the first distance with T < 0 among those that trend_zero() samples, up to `distance`, and `distance`
/// itself; nullopt if there is none. Distances at which a bound proves T > 0 are skipped: from d Ci(x)/d ln x = cos x,
///   n·dT/d ln Δ = Σ_pieces ρ (cos Δθ_a − cos Δθ_b) + Δθ(1)·sin(Δθ(1))/2,  ρ = pairs/ln(θ_a/θ_b),
/// and because pieces are adjacent, |dT/d ln Δ| ≤ (Σ |jumps of ρ|, both ends included, + Δθ(1)/2)/n.
std::optional<double> trend_below_zero(const SimilarityTrend& trend, double distance);

// --- The cosine integral -------------------------------------------------------------------------------------------

/// Returns Ci(x) = γ + ln x + ∫_0^x (cos t − 1)/t dt for x > 0, so ∫_a^b cos(x)/x dx = Ci(b) − Ci(a). Absolute error ≤
/// 2e-15. −∞ at 0, 0 at ∞, NaN for x < 0. Source: NIST Digital Library of Mathematical Functions, 6.2.11, 6.6.6, 6.9.1.
double cosine_integral(double x);

}  // namespace ropescope
