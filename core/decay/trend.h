#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

namespace ropescope {

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

}  // namespace ropescope
