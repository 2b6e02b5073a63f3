// What a model's query and key weights determine about its positions, without running it: norms of pairs and their
// shares, the kernels of biases and norm weights, and the order of the rows in two files.
// core/formats/weights.h reads the tensors. Read core/rotary/spec.h first.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/decay/kernel.h"
#include "core/parallel.h"
#include "core/rotary/spec.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Weights -------------------------------------------------------------------------------------------------------

/// The rows of a matrix in a file, read as float64 a few at a time; row r gives output channel r.
struct WeightRows {
  std::string name;  ///< for messages: "model.safetensors: model.layers.0.self_attn.q_proj.weight"
  std::int64_t rows = 0, columns = 0;
  /// Writes rows first … first + count − 1 to `out`, row-major. May be called by several threads.
  std::function<void(std::int64_t first, std::int64_t count, double* out)> read;
};

/// The projection to the queries or keys of one layer. `channels` of each head take part in the rotary embedding.
struct Projection {
  WeightRows weight;
  std::vector<std::int64_t> heads;  ///< row of channel 0 of each head
  Eigen::VectorXd input;            ///< [columns] weights of the norm before the projection; empty: 1
  Eigen::VectorXd norm;             ///< [heads · channels] weights of the norm of q or k itself; empty: no such norm
  Eigen::VectorXd bias;             ///< [heads · channels]; empty: no bias
};

struct LayerWeights {
  int layer = 0;     ///< counted from 0, as in tensor names
  int channels = 0;  ///< per head
  Projection query, key;
};
/// Returns the key head that a query head uses: h·(key heads)/(heads), rounded down (grouped-query attention).
std::size_t key_head(const LayerWeights& weights, std::size_t head);

/// The rotation of a layer. Channels from 2·(pairs) on are not rotated.
struct WeightRope : HeadLadder {
  Pairing pairing = Pairing::half_split;
  std::optional<double> trained_length;
  Eigen::VectorXd trained = {};  ///< frequencies used in training, without context extension, one per pair
  bool rotates = true;           ///< false: the layer has no rotary embedding; its pairs have frequency 0
};

/// Wavelength in positions below which a pair counts as fast, unless another one is given.
inline constexpr double kFastWavelength = 64;
/// Trained length in positions for curves of a model without one.
inline constexpr double kUnknownLength = 4096;

// --- Norms ---------------------------------------------------------------------------------------------------------

/// Euclidean norms of the rows of one layer, ‖γ_c · W_c ∘ γ_in‖: with the weights of both norms folded in.
struct LayerNorms {
  int layer = 0;
  Eigen::MatrixXd query, key;  ///< [heads × channels] and [key heads × channels]
};
/// Computes the norms, reading every row once. Empty matrices if cancelled. Throws InputError if a weight is not finite
/// (names tensor and row).
LayerNorms row_norms(const LayerWeights& weights, const Work& work = {});

/// Returns ‖W_q,i‖·‖W_k,i‖ per query head and pair [heads × pairs]: W_q,i are the two rows of pair i, ‖·‖ is the
/// Frobenius norm. It bounds the contribution of the pair to a score for inputs of norm 1.
Eigen::MatrixXd pair_norms(const LayerNorms& norms, const WeightRope& rope);

/// Shares of one head's pair norms. NaN: undefined (all norms are 0, the layer does not rotate, or there is no trained
/// length).
struct HeadShares {
  int layer = 0, head = 0;  ///< counted from 0
  double fast = 0;          ///< pairs with a wavelength below the given one
  double slow = 0;          ///< pairs that did not complete a turn in training: is_unfinished()
};
/// Computes the shares of each head. `pair_norms`: [heads × pairs].
std::vector<HeadShares> head_shares(int layer, const Eigen::MatrixXd& pair_norms, const WeightRope& rope,
                                    double fast_wavelength);
/// Sorts heads from positional to semantic: by decreasing share of fast pairs, then by layer and head; heads without a
/// share are last. Returns the number of heads with a share.
std::size_t sort_positional_first(std::vector<HeadShares>& heads);

/// Returns a quantile of the numbers that are not NaN, by linear interpolation between order statistics; `share` is 0
/// for the smallest, 0.5 for the median and 1 for the largest. NaN if there are none.
double quantile(std::vector<double> numbers, double share);

/// Returns minimum, quartiles and maximum over the heads of each pair's share of its head [5 × pairs], as
/// quantile(). Heads whose norms are all 0 are excluded; NaN if no other is left.
Eigen::MatrixXd share_spread(const Eigen::MatrixXd& pair_norms);

// --- Kernels -------------------------------------------------------------------------------------------------------

/// The weights that a kernel is computed from.
enum class KernelOf { biases, norms };

/// The pair phasors h_i of a curve over distance, Re Σ_i h_i e^{iΔθ_i} + constant, for the same content at every
/// distance.
struct WeightContent {
  KernelOf of = {};
  Content content;      ///< |h_i| and arg h_i
  double total = 0;     ///< Σ |h_i| > 0, including the amplitude squared
  double constant = 0;  ///< contribution of the channels that are not rotated
};
/// Returns the content that biases or norm weights alone give a query head; nullopt if the layer does not rotate, if q
/// or k lacks these weights, or if all products are 0. Precondition: the layer has at least 2·(pairs) channels.
///
/// Without norms of q and k: b_q^T R(Δ) b_k, the score, before the factor 1/√d, at distance Δ = m − n that the biases
/// give; h_i = A²·b_q,i·conj(b_k,i) for the complex pairs. With norms, which make that part depend on the input:
/// Σ_c γ_q,c γ_k,c cos Δθ_c over the channels with the frequency of their pair, the score of aligned content, whose
/// normalised q and k are equal with independent channels of variance 1; h_i = A²·(γ_q γ_k of both channels).
std::optional<WeightContent> weight_content(const LayerWeights& weights, const WeightRope& rope, std::size_t head);
/// Returns that of every query head; empty if none has any.
std::vector<std::optional<WeightContent>> weight_contents(const LayerWeights& weights, const WeightRope& rope);

/// Returns distances 0, 1, 2, …, later about 64 per factor of 10, up to `span` ≥ 1, for curves on logarithmic axes.
std::vector<double> kernel_distances(double span);

struct WeightKernel {
  std::vector<double> values;
  /// The smaller one of Σ_i |h_i|, and of Abel's bound max_i |h_{i+1} − h_i| · Σ_j |S_j(Δ)| in the order of the pairs
  /// (RoFormer, 3.4.3), plus |constant|.
  std::vector<double> bounds;
};
/// Computes the curve at distances ≥ 0, exact to about 1e-15 of Σ |h_i|.
WeightKernel weight_kernel(const WeightContent& content, const WeightRope& rope, std::span<const double> distances);

// --- Order of rows -------------------------------------------------------------------------------------------------

/// How the channels within each head of one file follow from those of another. to_adjacent: channel 2i is the other's
/// channel i, and 2i + 1 its channel i + pairs; to_halves is the inverse. `twice`: applied two times.
enum class RowOrder { same, to_adjacent, to_halves, to_adjacent_twice, to_halves_twice, other, different };
/// Returns the word of an order: "same", "to-adjacent", ….
std::string_view row_order_word(RowOrder order);
/// Returns whether two orders are the same permutation of the channels: with 2 or 4 rotated channels, several are.
bool is_same_order(RowOrder a, RowOrder b, int channels, int pairs);

struct RowComparison {
  RowOrder order = RowOrder::different;  ///< other: the same rows in another order; different: other weights
  std::vector<int> heads;  ///< the other file's head in the place of each head; empty if unknown (other, different)
  double difference = 0;   ///< √(Σ(a − b)²/Σa²) over all weights in this order; NaN if there is none
  /// The largest √(Σ(a − b)²/max(Σa², Σb²)) of a head's biases and norm weights of q or k in this order, where a file
  /// without biases has 0 and one without a norm has 1; nullopt if neither file has them, or there is no order.
  std::optional<double> bias_difference = {}, norm_difference = {};
  bool heads_moved() const;
  /// Returns whether biases and norm weights have the order of the rows, up to the rounding of their formats.
  bool bias_fits() const;
  bool norm_fits() const;
};
/// Finds the order of the heads' rows of `a` relative to `b`: a's row of channel c is b's row of the found channel, up
/// to the rounding of their formats. Of several orders that fit, it is the one with the smallest difference. `pairs`
/// are rotated; later channels stay. Throws InputError if the numbers of heads or columns differ, or if a weight is not
/// finite.
RowComparison compare_rows(const Projection& a, const Projection& b, int channels, int pairs, const Work& work = {});

}  // namespace ropescope
