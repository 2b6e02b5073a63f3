// Statistics of the measured queries and keys of one head: the mean score at every distance, its bound, and the mean
// direction of each pair. Attention itself, with weights and outputs, is in attention.h.
#pragma once

#include <Eigen/Core>

#include "core/encodings/encoding.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Scores of heads -----------------------------------------------------------------------------------------------

/// The pair phasors at every distance Δ = 0 … tokens − 1, shared by all heads.
struct HeadTurns {
  Pairing pairing = Pairing::half_split;
  double factor = 1;             ///< factor on a score: amplitude² / √head_dim
  Eigen::MatrixXcd turns;        ///< [tokens × pairs] e^{iΔθ_i}
  Eigen::VectorXd partial_sums;  ///< [tokens] Σ_{j=1..pairs} |S_j(Δ)|, S_j = Σ_{i<j} e^{iΔθ_i}
};
/// Computes them. `frequencies` in radians per position, fastest first, in the order of the head's pairs.
HeadTurns head_turns(const Eigen::VectorXd& frequencies, Eigen::Index tokens, Pairing pairing, double factor);

/// Scores of a head by distance Δ = m − n = 0 … tokens − 1, over its rotated pairs only (a static part does not depend
/// on Δ). h̄_i(Δ) is the mean of q_i(m)·conj(k_i(n)) over all pairs of tokens at that distance.
struct HeadScores {
  Eigen::VectorXd mean;  ///< factor · Re Σ_i h̄_i(Δ) e^{iΔθ_i}: the mean score
  Eigen::VectorXd bound;  ///< factor · max_i |h̄_{i+1} − h̄_i| · Σ_i |S_{i+1}(Δ)|, h̄_pairs = 0 (RoFormer section 3.4.3)
  /// factor · Re Σ_i mean(q_i)·conj(mean(k_i)) e^{iΔθ_i}: the score of the mean vectors, independent of the individual
  /// tokens.
  Eigen::VectorXd bias;
};

/// Computes the scores. `queries`, `keys`: [tokens × channels], with at most as many tokens as `turns` has distances.
/// Correlations over all token pairs use fast Fourier transforms padded to twice the tokens: tokens · ln tokens steps
/// per pair. They equal mean_score_bound's direct sums up to rounding (about 10⁻¹⁵ · mean |q_i||k_i| · ln tokens).
HeadScores head_scores(const TokenMatrix& queries, const TokenMatrix& keys, const HeadTurns& turns);

// --- Means of pairs ------------------------------------------------------------------------------------------------

/// Means over the tokens of one head, per pair; x_i = first + i·second channel of pair i.
struct PairMeans {
  Eigen::VectorXd size;   ///< [pairs] mean of |x_i| over the tokens
  Eigen::VectorXcd mean;  ///< [pairs] mean of x_i

  /// Returns mean of x_i ÷ mean of |x_i| per pair: magnitude 1 if all tokens have one direction, near 0 for random
  /// directions; 0 for an empty pair.
  Eigen::VectorXcd direction() const;
};

/// Computes the means. `vectors`: [tokens × channels], at least one token; the first 2·pair_count channels form pairs.
/// Throws InputError if there are fewer channels.
PairMeans pair_means(const TokenMatrix& vectors, Pairing pairing, int pair_count);

}  // namespace ropescope
