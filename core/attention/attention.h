// Attention with positions: softmax and linear attention, random features, shifted and shuffled tokens, and statistics
// of measured vectors. heads.cpp computes the scores of single heads. Read core/encodings/encoding.h first: its models
// compute the scores.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/encodings/encoding.h"
#include "core/parallel.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Attention -----------------------------------------------------------------------------------------------------

/// One head's vectors, one row per token. Queries and keys have the model's dim channels. Values have any number of
/// channels (Shaw: dim), or no rows if no outputs are requested.
struct AttentionInput {
  TokenMatrix queries, keys, values;
};

/// The feature map φ of linear attention, positive.
/// elu_plus_one: φ(x) = elu(x) + 1 for q and k (Katharopoulos et al., arXiv 2006.16236).
/// exponential: φ(x) = e^x for q and k.
/// softmax_of_q: φ_q = softmax over the channels of q, φ_k = e^k (Shen et al., arXiv 1812.01243).
/// random_features: Performer's positive orthogonal features (FAVOR+, Choromanski et al., arXiv 2009.14794, lemma 1),
/// φ(x) = exp(ω_j·y − |y|²/2)/√M with y = x/d^¼ for j = 1 … M, ω the rows of random_directions(). The mean of φ(q)·φ(k)
/// over seeds is exp(q·k/√d); its error falls as 1/√M.
enum class LinearKernel { elu_plus_one, exponential, softmax_of_q, random_features };

/// The maximum number of random features per channel.
inline constexpr int kMaxFeaturesPerChannel = 16;
/// Returns the directions ω of `count` random features [count × dim]: independent blocks of dim mutually orthogonal
/// rows (the last block may be shorter). Each row has the length distribution of a standard normal vector, so each row
/// alone is Gaussian. Reproducible from the seed. Throws InputError unless count is 1 … 16·dim and count·dim ≤ 2²¹.
TokenMatrix random_directions(int dim, int count, std::uint64_t seed);

struct AttentionOptions {
  bool causal = false;              ///< keys after the query are masked: weight 0
  std::int64_t first_position = 0;  ///< token i is at first_position + i
  LinearKernel kernel = LinearKernel::elu_plus_one;
  int random_features = 0;         ///< M; 0: the number of channels
  std::uint64_t feature_seed = 1;  ///< seed of their directions
  /// Rotary encodings rotate q and k before the kernel, not the features after it (eq. 19). performer-pytorch
  /// (lucidrains, commit 023945c), the code for the paper's Figure 3, does so. Weights are then positive and sum to 1;
  /// with random features their mean is that of softmax attention.
  bool turned_vectors = false;
  /// If the encoding rotates features, linear attention divides by the sum over rotated ones, Σ_j E φ(q) · F φ(k_j),
  /// which can have any sign.
  bool turned_denominator = false;
  int threads = 0;  ///< 0: all cores
  bool operator==(const AttentionOptions&) const = default;
};

/// The result of attention in one head. Empty if cancelled.
template <class Cell>
struct Attention {
  RowMatrix<Cell> weights;   ///< [tokens × tokens]: row i contains the weights of all values in output i
  Eigen::VectorXd row_sums;  ///< Σ_j weights(i, j)
  TokenMatrix outputs;       ///< [tokens × value channels]; empty without values
};

/// Computes softmax attention (RoFormer eq. 2): weights = softmax over keys of the encoding's score, outputs = weights
/// · values. Shaw adds its value table: outputs_i = Σ_j weights_ij (v_j + p̃ⱽ_clip(i−j)). Rows that use a position past
/// a learned table are NaN. Cell: float or double. Throws InputError if shapes do not match or the input has a
/// non-finite number.
template <class Cell>
Attention<Cell> softmax_attention(const EncodingModel& model, const AttentionInput& input,
                                  const AttentionOptions& options = {}, std::stop_token stop = {});

/// Computes linear attention (RoFormer eq. 17–19) by its quadratic formula, for inspection of the weights:
///   weights_ij = E_i φ_q(q_i) · F_j φ_k(k_j) / Σ_j φ_q(q_i) · φ_k(k_j).
/// RoPE, p-RoPE, xPos: E and F rotate (and damp) the features in the numerator only. The denominator is unrotated and
/// positive, so weights may be negative and rows need not sum to 1. Random features are rotated in blocks of d
/// channels. none: E = F = 1. sinusoidal, learned: positions are added before the kernel, φ(q + p), in both numerator
/// and denominator, so rows sum to 1. All other encodings act on the score, which linear attention never computes:
/// InputError. There is no factor 1/√d except in random features. Throws InputError if their number is out of range, or
/// not a multiple of d if features are rotated. Features of e^x are computed with the maximum subtracted (over all
/// keys; per query), a factor that cancels, so they do not overflow. They may underflow: throws InputError naming the
/// first token whose denominator is too small, e.g. if all keys up to it are 750 below the largest (elu: below 0).
template <class Cell>
Attention<Cell> linear_attention(const EncodingModel& model, const AttentionInput& input,
                                 const AttentionOptions& options = {}, std::stop_token stop = {});

/// Computes the outputs of linear_attention() by associativity, E φ(q) · (Σ_j F φ(k_j) v_jᵀ), without a tokens × tokens
/// matrix. Time and memory are linear in the number of tokens, on one thread. Causal: running sums over chunks of
/// tokens. Empty if cancelled.
TokenMatrix linear_attention_outputs(const EncodingModel& model, const AttentionInput& input,
                                     const AttentionOptions& options = {}, std::stop_token stop = {});

/// Returns the denominators of linear attention, Σ_j φ_q(q_i) · φ_k(k_j) for each token i (over j ≤ i if causal), up to
/// a factor common to one row or to all keys. Positive, or throws InputError as above; NaN past a learned table. With
/// turned_denominator the rotated sums, of any sign.
Eigen::VectorXd linear_attention_denominators(const EncodingModel& model, const AttentionInput& input,
                                              const AttentionOptions& options = {});

/// Returns ‖weights of random features − weights of softmax attention‖ / ‖the latter‖ (Frobenius), with q and k rotated
/// (options.turned_vectors). Falls as 1/√M, with a factor that grows as e^(|q+k|²/2√d).
double random_feature_error(const EncodingModel& model, const AttentionInput& input, const AttentionOptions& options);

enum class AttentionKind { softmax, linear };
/// Returns rows begin … begin + count − 1 of the weights [count × tokens], for matrices too large for memory. They
/// equal those of softmax_attention and linear_attention up to rounding. Each call processes all keys, so prefer few
/// calls with many rows. Throws as these functions do. Precondition: the rows exist.
RowMatrix<double> attention_weights(AttentionKind kind, const EncodingModel& model, const AttentionInput& input,
                                    Eigen::Index begin, Eigen::Index count, const AttentionOptions& options = {});

/// Returns the outputs of softmax_attention<float> alone, for timing its quadratic cost.
TokenMatrix softmax_attention_outputs(const EncodingModel& model, const AttentionInput& input,
                                      const AttentionOptions& options = {}, std::stop_token stop = {});

/// Scores of measured content by distance Δ = i − j: mean and standard deviation over all token pairs at Δ.
struct MeasuredScores {
  std::vector<std::int64_t> distances;  ///< 0 … tokens − 1 if causal, otherwise from −(tokens − 1)
  Eigen::VectorXd mean, deviation;
};
MeasuredScores measured_scores(const EncodingModel& model, const AttentionInput& input,
                               const AttentionOptions& options = {}, std::stop_token stop = {});

/// Abel bound on the mean score for RoPE. With h̄_i(Δ) the mean of q_i·conj(k_i) over the token pairs at distance Δ = 0
/// … tokens − 1, |mean score| ≤ A² · scale · max_i |h̄_{i+1} − h̄_i| · Σ_i |S_{i+1}(Δ)|, h̄_n = 0 (A: the ladder's
/// amplitude). Both sides omit a static part (rotary_dim < dim): `mean` is the mean score of the rotated pairs alone.
/// Throws InputError for encodings other than rope.
struct MeanScoreBound {
  Eigen::VectorXd mean, bound;  ///< [tokens], by distance
};
MeanScoreBound mean_score_bound(const EncodingModel& model, const AttentionInput& input, const Work& work = {});

/// Energy per pair of channels: mean over tokens of |q_i| and |k_i|, and their product, which is the mean of |q_i||k_i|
/// over all query–key pairs. rotary_dim channels form pairs (0: all).
struct PairEnergy {
  Eigen::VectorXd query, key, product;  ///< [pairs]
};
PairEnergy pair_energy(const AttentionInput& input, Pairing pairing, int rotary_dim = 0);

/// Change of the outputs when all positions shift by `shift` and the content is fixed: 0 up to rounding for a relative
/// encoding.
struct ShiftEffect {
  std::int64_t shift = 0;
  Eigen::VectorXd change;  ///< [tokens]: |output shifted − output|, Euclidean, per token
  double relative = 0;     ///< ‖all changes‖ / ‖all outputs‖
};
/// Requires values. NaN if a shifted position is past a learned table. Shorter than `shifts` if cancelled.
std::vector<ShiftEffect> shift_effects(const EncodingModel& model, const AttentionInput& input, AttentionKind kind,
                                       std::span<const std::int64_t> shifts, const AttentionOptions& options = {},
                                       std::stop_token stop = {});

/// Effect of shuffling the tokens on attention. Without position encoding and mask each token keeps its weights and its
/// output, Attention(πX) = π Attention(X).
struct ShuffleEffect {
  RowMatrix<double> before;  ///< [tokens × tokens] weights in the original order
  RowMatrix<double> after;   ///< after shuffling, with rows and columns put back into the original order
  Eigen::VectorXd change;    ///< [tokens]: |output after − output before|, Euclidean, in the original order
  double relative = 0;       ///< ‖all changes‖ / ‖all outputs before‖
};
/// Computes the effect. order[i] is the original index of the token at place i after shuffling. Masked keys have weight
/// NaN. Requires values. Empty if cancelled. Precondition: a permutation of all tokens.
ShuffleEffect shuffle_effect(const EncodingModel& model, const AttentionInput& input, AttentionKind kind,
                             std::span<const Eigen::Index> order, const AttentionOptions& options = {},
                             std::stop_token stop = {});
/// Returns a uniformly random order (Fisher and Yates); reproducible from the seed on every machine.
std::vector<Eigen::Index> draw_permutation(Eigen::Index tokens, std::uint64_t seed);

/// Kinds of synthetic content. aligned: every q and k is 1/√2 in all channels, so each pair has norm 1 and q·k = d/2;
/// values are seeded standard normal numbers. random: q, k and v are independent standard normal numbers.
enum class ContentKind { aligned, random };
/// Returns synthetic content, reproducible from the seed on every machine. Throws InputError unless tokens is in
/// 1…65536 and both dims are in 1…8192.
AttentionInput make_content(ContentKind kind, int tokens, int dim, int value_dim, std::uint64_t seed);

/// Throws InputError if queries and keys differ in size, do not have dim channels or have no rows; if there are values
/// with a different number of rows; or if a number is not finite.
void validate(const EncodingModel& model, const AttentionInput& input);

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
