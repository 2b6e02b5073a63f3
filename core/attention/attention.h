// Attention with positions: softmax and linear attention, random features, tokens that shift or change their order, and
// what measured vectors tell. Scores of single heads stand in heads.h. Read core/encodings/encoding.h first: a model of
// it gives the scores.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/attention/heads.h"
#include "core/encodings/encoding.h"
#include "core/parallel.h"

namespace ropescope {

// --- Attention -----------------------------------------------------------------------------------------------------

/// One head's vectors, one row per token. Queries and keys have the model's dim channels; values any number of them
/// (Shaw: dim), or no rows at all where no outputs are wanted.
struct AttentionInput {
  TokenMatrix queries, keys, values;
};

/// φ of linear attention, positive.
/// elu_plus_one: φ(x) = elu(x) + 1 for q and k (Katharopoulos et al., arXiv 2006.16236).
/// exponential: φ(x) = e^x for q and k.
/// softmax_of_q: φ_q = softmax over the channels of q, φ_k = e^k (Shen et al., arXiv 1812.01243).
/// random_features: Performer's positive orthogonal ones (FAVOR+, Choromanski et al., arXiv 2009.14794, lemma 1), φ(x)
/// = exp(ω_j·y − |y|²/2)/√M with y = x/d^¼ for j = 1 … M, ω the rows of random_directions(): φ(q)·φ(k) is exp(q·k/√d)
/// on average over seeds, its error falling as 1/√M.
enum class LinearKernel { elu_plus_one, exponential, softmax_of_q, random_features };

/// Most random features for each channel.
inline constexpr int kMostFeaturesPerChannel = 16;
/// ω of `count` random features [count × dim]: independent blocks of dim rows that are orthogonal to each other (the
/// last one may be cut off), each row as long as an independent standard normal vector, so that each by itself is one.
/// They are the same for a seed everywhere. Throws InputError unless count is 1 … 16·dim and count·dim at most 2²¹.
TokenMatrix random_directions(int dim, int count, std::uint64_t seed);

struct AttentionOptions {
  bool causal = false;              ///< keys after the query are left out: weight 0
  std::int64_t first_position = 0;  ///< token i stands at first_position + i
  LinearKernel kernel = LinearKernel::elu_plus_one;
  int random_features = 0;         ///< M; 0: as many as there are channels
  std::uint64_t feature_seed = 1;  ///< of their directions
  /// What turns, turns q and k before the kernel, which is what performer-pytorch (lucidrains, commit 023945c, on which
  /// the paper's Figure 3 was made) does, and not the features after it (eq. 19): weights are then positive and sum to
  /// 1, and with random features they are those of softmax attention on average.
  bool turned_vectors = false;
  /// Linear attention divides by the sum over the features as the encoding turned them, Σ_j E φ(q) · F φ(k_j), of any
  /// sign, where it turns them at all.
  bool turned_denominator = false;
  int threads = 0;  ///< 0: all cores
};

/// What a head does. Empty where it was stopped.
template <class Cell>
struct Attention {
  RowMatrix<Cell> weights;   ///< [tokens × tokens]: row i says how much of each value goes into output i
  Eigen::VectorXd row_sums;  ///< Σ_j weights(i, j)
  TokenMatrix outputs;       ///< [tokens × value channels]; empty without values
};

/// Softmax attention (RoFormer eq. 2): weights = softmax over keys of the encoding's score, outputs = weights · values.
/// Shaw adds its value table: outputs_i = Σ_j weights_ij (v_j + p̃ⱽ_clip(i−j)). Past a learned table every row that
/// sees such a position is NaN. Cell: float or double. Throws InputError where shapes do not fit or a number of the
/// input is not finite.
template <class Cell>
Attention<Cell> softmax_attention(const EncodingModel& model, const AttentionInput& input,
                                  const AttentionOptions& options = {}, std::stop_token stop = {});

/// Linear attention (RoFormer eq. 17–19) by its quadratic formula, for looking at:
///   weights_ij = E_i φ_q(q_i) · F_j φ_k(k_j) / Σ_j φ_q(q_i) · φ_k(k_j).
/// RoPE, p-RoPE, xPos: E and F turn (and damp) the features in the numerator only; the denominator stays unrotated and
/// positive, so weights may be negative and rows need not sum to 1. Of random features each block of d turns as a head
/// of d channels does. none: E = F = 1. sinusoidal, learned: positions are
/// added before the kernel, φ(q + p), in numerator and denominator alike, so that rows sum to 1.
/// All other encodings act on the score, which linear attention never forms: named InputError. There is no 1/√d but
/// that of random features. InputError where their number is out of its range, or features turn and it is no multiple
/// of d. Features of e^x are formed up to a factor that cancels, with the maximum taken off (of all keys, of each
/// query), so that they do not overflow. They may underflow: InputError that names the first token whose denominator is
/// too small for a number, as where all keys that it sees are 750 below the largest one (elu: below 0).
template <class Cell>
Attention<Cell> linear_attention(const EncodingModel& model, const AttentionInput& input,
                                 const AttentionOptions& options = {}, std::stop_token stop = {});

/// Outputs of linear_attention() by associativity, E φ(q) · (Σ_j F φ(k_j) v_jᵀ), without any tokens × tokens matrix:
/// time and memory grow linearly with the number of tokens, on one thread. Causal: running sums over chunks of tokens.
/// Empty when stopped.
TokenMatrix linear_attention_outputs(const EncodingModel& model, const AttentionInput& input,
                                     const AttentionOptions& options = {}, std::stop_token stop = {});

/// Σ_j φ_q(q_i) · φ_k(k_j) for each token i (over j ≤ i where causal): what linear attention divides by. Positive, or
/// InputError as above; NaN past a learned table. With turned_denominator the turned sums, of any sign. A factor common
/// to one row, or to all keys, is taken off.
Eigen::VectorXd linear_attention_denominators(const EncodingModel& model, const AttentionInput& input,
                                              const AttentionOptions& options = {});

/// ‖weights of random features − those of softmax attention‖ / ‖the latter‖, Frobenius, where what turns, turns q and k
/// (options.turned_vectors): falls as 1/√M, from a number that grows as e^(|q+k|²/2√d).
double random_feature_error(const EncodingModel& model, const AttentionInput& input, const AttentionOptions& options);

enum class AttentionKind { softmax, linear };
/// Rows begin … begin + count − 1 of the weights alone [count × tokens], for matrices that are too large to be held:
/// what softmax_attention and linear_attention say of these tokens, up to rounding. The keys' side is prepared anew for
/// each call, so that few calls with many rows are quicker. Throws as they do. Precondition: such tokens are there.
RowMatrix<double> attention_weights(AttentionKind kind, const EncodingModel& model, const AttentionInput& input,
                                    Eigen::Index begin, Eigen::Index count, const AttentionOptions& options = {});

/// Softmax outputs alone, for timing the quadratic cost: the same numbers as softmax_attention<float>.
TokenMatrix softmax_attention_outputs(const EncodingModel& model, const AttentionInput& input,
                                      const AttentionOptions& options = {}, std::stop_token stop = {});

/// Scores of real content against distance Δ = i − j: mean and standard deviation over all token pairs at it.
struct MeasuredScores {
  std::vector<std::int64_t> distances;  ///< 0 … tokens − 1 where causal, else from −(tokens − 1)
  Eigen::VectorXd mean, deviation;
};
MeasuredScores measured_scores(const EncodingModel& model, const AttentionInput& input,
                               const AttentionOptions& options = {}, std::stop_token stop = {});

/// Abel bound of that mean for RoPE: with h̄_i(Δ) the mean of q_i·conj(k_i) over the token pairs
/// at distance Δ = 0 … tokens − 1, |mean score| ≤ A² · scale · max_i |h̄_{i+1} − h̄_i| · Σ_i |S_{i+1}(Δ)|, h̄_n = 0 (A:
/// the ladder's amplitude). A still part (rotary_dim < dim) is left out on both sides: `mean` is the turning pairs' own
/// mean score. InputError for encodings other than rope.
struct MeanScoreBound {
  Eigen::VectorXd mean, bound;  ///< [tokens], by distance
};
MeanScoreBound mean_score_bound(const EncodingModel& model, const AttentionInput& input, const Work& work = {});

/// Who uses which frequency: mean over tokens of |q_i| and |k_i| for each pair of channels, and their product, which is
/// the mean of |q_i||k_i| over all query–key pairs. rotary_dim channels form pairs (0: all).
struct PairEnergy {
  Eigen::VectorXd query, key, product;  ///< [pairs]
};
PairEnergy pair_energy(const AttentionInput& input, Pairing pairing, int rotary_dim = 0);

/// How far the outputs move when all positions shift by `shift`, content held still: 0 up to rounding for a relative
/// encoding.
struct ShiftEffect {
  std::int64_t shift = 0;
  Eigen::VectorXd change;  ///< [tokens]: |output shifted − output|, Euclidean, per token
  double relative = 0;     ///< ‖all changes‖ / ‖all outputs‖
};
/// Needs values. NaN where a shifted position is past a learned table. Shorter than `shifts` where stopped.
std::vector<ShiftEffect> shift_effects(const EncodingModel& model, const AttentionInput& input, AttentionKind kind,
                                       std::span<const std::int64_t> shifts, const AttentionOptions& options = {},
                                       std::stop_token stop = {});

/// What becomes of attention where its tokens stand in another order: without an encoding of positions and without a
/// mask each token keeps its weights and its output, Attention(πX) = π Attention(X).
struct ShuffleEffect {
  RowMatrix<double> before;  ///< [tokens × tokens] weights in the given order
  RowMatrix<double> after;   ///< of the other order, its rows and columns put back into the given one
  Eigen::VectorXd change;    ///< [tokens]: |output after − output before|, Euclidean, in the given order
  double relative = 0;       ///< ‖all changes‖ / ‖all outputs before‖
};
/// order[i] is the token of the given order that stands at place i of the other one. Keys that the mask leaves out have
/// NaN for a weight. Needs values. Empty where stopped. Precondition: a permutation of all tokens.
ShuffleEffect shuffle_effect(const EncodingModel& model, const AttentionInput& input, AttentionKind kind,
                             std::span<const Eigen::Index> order, const AttentionOptions& options = {},
                             std::stop_token stop = {});
/// All orders of this many tokens are equally likely (Fisher and Yates); the same for a seed on every machine.
std::vector<Eigen::Index> dealt_order(Eigen::Index tokens, std::uint64_t seed);

/// Content to try things on. aligned: every q and k is 1/√2 in all channels, so that each pair has norm 1 and q·k =
/// d/2; values are seeded standard normal numbers. random: q, k and v are all independent standard normal numbers.
enum class ContentKind { aligned, random };
/// Content of a kind, which is the same on every machine for a seed. Throws InputError unless tokens is 1…65536 and
/// both dims are 1…8192.
AttentionInput make_content(ContentKind kind, int tokens, int dim, int value_dim, std::uint64_t seed);

/// Throws InputError where queries and keys differ in size, have not dim channels or no rows, where values (if there
/// are any) have another number of rows, or where a number is not finite.
void validate(const EncodingModel& model, const AttentionInput& input);

}  // namespace ropescope
