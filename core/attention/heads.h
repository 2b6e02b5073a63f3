// What the measured queries and keys of one head tell: the mean score at every distance, its bound, and what the tokens
// have in common in each pair. Attention itself, with weights and outputs, stands in attention.h.
#pragma once

#include <Eigen/Core>

#include "core/encodings/encoding.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Scores of heads -----------------------------------------------------------------------------------------------

/// How the pairs of a head turn, at every distance Δ = 0 … tokens − 1: what its heads share.
struct HeadTurns {
  Pairing pairing = Pairing::half_split;
  double factor = 1;             ///< of a score: amplitude² / √head_dim
  Eigen::MatrixXcd turns;        ///< [tokens × pairs] e^{iΔθ_i}
  Eigen::VectorXd partial_sums;  ///< [tokens] Σ_{j=1..pairs} |S_j(Δ)|, S_j = Σ_{i<j} e^{iΔθ_i}
};
/// `frequencies` in radians per position, the fastest first as the head's pairs stand.
HeadTurns head_turns(const Eigen::VectorXd& frequencies, Eigen::Index tokens, Pairing pairing, double factor);

/// Scores of a head by distance Δ = m − n = 0 … tokens − 1, of its turning pairs alone (a still part knows no
/// distance). With h̄_i(Δ) the mean of q_i(m)·conj(k_i(n)) over all pairs of tokens at that distance:
struct HeadScores {
  Eigen::VectorXd mean;  ///< factor · Re Σ_i h̄_i(Δ) e^{iΔθ_i}: the mean score
  Eigen::VectorXd bound;  ///< factor · max_i |h̄_{i+1} − h̄_i| · Σ_i |S_{i+1}(Δ)|, h̄_pairs = 0 (RoFormer section 3.4.3)
  /// factor · Re Σ_i mean(q_i)·conj(mean(k_i)) e^{iΔθ_i}: what the mean directions alone make of the distance, whatever
  /// the tokens say.
  Eigen::VectorXd bias;
};

/// `queries`, `keys`: [tokens × channels], as many tokens as `turns` has distances at most. The products of all pairs
/// of tokens are correlations, found by fast Fourier transforms padded to twice the tokens: tokens · ln tokens steps
/// for each pair, the same as mean_score_bound's direct sums up to rounding (about 10⁻¹⁵ · mean |q_i||k_i| · ln
/// tokens).
HeadScores head_scores(const TokenMatrix& queries, const TokenMatrix& keys, const HeadTurns& turns);

// --- Means of pairs ------------------------------------------------------------------------------------------------

/// What the tokens of one head have in common, pair by pair; x_i = first + i·second channel of pair i.
struct PairMeans {
  Eigen::VectorXd size;   ///< [pairs] mean of |x_i| over the tokens
  Eigen::VectorXcd mean;  ///< [pairs] mean of x_i

  /// Mean direction: mean of x_i ÷ mean of |x_i|. 1 in size where every token points the same way, near 0 where they
  /// point anywhere; 0 where the pair is empty.
  Eigen::VectorXcd direction() const;
};

/// `vectors`: [tokens × channels], at least one token; the first 2·pair_count channels form pairs. Throws InputError
/// where there are fewer channels.
PairMeans pair_means(const TokenMatrix& vectors, Pairing pairing, int pair_count);

}  // namespace ropescope
