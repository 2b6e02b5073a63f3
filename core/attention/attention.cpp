// Softmax and linear attention, random features, and effects of shifts and shuffles. Read attention.h first.
//
// Contents: Softmax; Linear attention; Features; Content; Shuffled words; Measured vectors; Rows; Shifted positions.

#include "core/attention/attention.h"

#include <Eigen/Core>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "core/decay/kernel.h"
#include "core/encodings/matrix.h"
#include "core/matrix_products/products.h"
#include "core/message.h"
#include "core/parallel.h"
#include "core/rotary/rotation.h"

namespace ropescope {

/// Number of tokens per thread and step.
inline constexpr Eigen::Index kTokenBlock = 64;

// --- Softmax -------------------------------------------------------------------------------------------------------

namespace {

/// Replaces the first `seen` scores by their softmax weights and the others by zeros.
template <class Row>
void softmax_row(Row&& row, Eigen::Index seen) {
  auto scores = row.head(seen).array();
  // Eigen's exp may drop a NaN.
  if (scores.allFinite()) {
    scores = (scores - scores.maxCoeff()).exp();
    scores /= static_cast<typename std::decay_t<Row>::Scalar>(scores.template cast<double>().sum());
  } else {
    scores.setConstant(std::numeric_limits<typename std::decay_t<Row>::Scalar>::quiet_NaN());
  }
  row.tail(row.size() - seen).setZero();
}

/// Adds Σ_j weights_ij p̃ⱽ_(i − j) to rows begin … begin + count − 1, summing the weights by distance first.
template <class Cell>
void add_value_rows(const DistanceRows& rows, const RowMatrix<Cell>& weights, Eigen::Index begin, Eigen::Index count,
                    TokenMatrix& outputs) {
  const std::int64_t tokens = weights.cols();
  const std::int64_t lowest = std::clamp<std::int64_t>(begin - (tokens - 1), rows.lowest, rows.highest);
  const std::int64_t highest = std::clamp<std::int64_t>(begin + count - 1, rows.lowest, rows.highest);
  TokenMatrix table(highest - lowest + 1, rows.width), sums = TokenMatrix::Zero(count, table.rows());
  for (std::int64_t distance = lowest; distance <= highest; ++distance) {
    rows.row(distance, {table.row(distance - lowest).data(), static_cast<std::size_t>(rows.width)});
  }
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index j = 0; j < tokens; ++j) {
      sums(i, std::clamp<std::int64_t>(begin + i - j, lowest, highest) - lowest) += weights(begin + i, j);
    }
  }
  outputs.middleRows(begin, count).noalias() += sums * table;
}

void require_value_width(const EncodingModel& model, const AttentionInput& input) {
  const auto& rows = model.plan().value_rows;
  if (!rows || input.values.rows() == 0 || input.values.cols() == rows->width) return;
  throw InputError(model.encoding().name, "attention.value_width",
                   {{"channels", input.values.cols()}, {"expected", rows->width}});
}

/// Returns rows of the softmax attention weights, for attention_weights().
RowMatrix<double> softmax_rows(const EncodingModel& model, const AttentionInput& input, Eigen::Index begin,
                               Eigen::Index count, const AttentionOptions& options) {
  validate(model, input);
  ScoreMatrixOptions matrix_options;
  matrix_options.first_key = options.first_position;
  matrix_options.first_query = options.first_position + begin;
  matrix_options.threads = options.threads;
  RowMatrix<double> weights =
      model.score_matrix<double>(input.queries.middleRows(begin, count), input.keys, matrix_options);
  parallel_for_blocks(count, kTokenBlock, {options.threads}, [&](Eigen::Index first, Eigen::Index rows) {
    for (Eigen::Index i = first; i < first + rows; ++i) {
      softmax_row(weights.row(i), options.causal ? begin + i + 1 : weights.cols());
    }
  });
  return weights;
}

// --- Linear attention ----------------------------------------------------------------------------------------------

/// φ of some tokens [tokens × features], and φ with the encoding applied, as used in the numerator.
struct Features {
  TokenMatrix plain, placed;
};

/// Computes the features of linear attention, for any range of tokens.
class FeatureMaker {
 public:
  /// Throws InputError if linear attention is not defined for the encoding or the input does not match. Precondition:
  /// model and input outlive this object.
  FeatureMaker(const EncodingModel& model, const AttentionInput& input, const AttentionOptions& options);

  /// Returns the number of features per vector: its channels, or the random features.
  Eigen::Index width() const { return directions_.size() > 0 ? directions_.rows() : input_.keys.cols(); }
  Features queries(Eigen::Index begin, Eigen::Index count) const;
  Features keys(Eigen::Index begin, Eigen::Index count) const;
  /// Returns the features of queries and keys, token by token, with position-dependent parts computed once.
  std::pair<Features, Features> both(Eigen::Index begin, Eigen::Index count) const;

 private:
  void encode_row(bool of_query, const TokenMatrix& vectors, Eigen::Index begin, Eigen::Index row,
                  TokenMatrix& out) const;
  TokenMatrix encoded(bool of_query, const TokenMatrix& vectors, Eigen::Index begin) const;
  TokenMatrix query_features(Eigen::Index begin, Eigen::Index count) const;
  TokenMatrix key_features(Eigen::Index begin, Eigen::Index count) const;
  TokenMatrix kernel_input(bool of_query, Eigen::Index begin, Eigen::Index count) const;
  /// Returns the arguments of e^x: ω·y − |y|²/2 for random features, otherwise the vectors themselves.
  TokenMatrix exponents(bool of_query, Eigen::Index begin, Eigen::Index count) const;
  bool turns_features() const;
  Features placed(bool of_query, TokenMatrix features, Eigen::Index begin) const;

  const EncodingModel& model_;
  const AttentionInput& input_;
  AttentionOptions options_;
  TokenMatrix directions_;  ///< ω/d^¼ for random features; otherwise empty
  double key_shift_ = 0;    ///< subtracted from the exponents of keys: their maximum over all keys
};

/// Returns the features that are summed in the denominator.
const TokenMatrix& select_summed(const Features& features, const AttentionOptions& options) {
  return options.turned_denominator ? features.placed : features.plain;
}

/// The memory of linear attention: sums over the keys so far.
struct Memory {
  const AttentionOptions& options;
  TokenMatrix values;      ///< Σ_j F φ(k_j) v_jᵀ [features × value channels]
  Eigen::RowVectorXd sum;  ///< Σ_j φ(k_j)
  Memory(const AttentionOptions& given, Eigen::Index features, Eigen::Index value_channels)
      : options(given), values(TokenMatrix::Zero(features, value_channels)), sum(Eigen::RowVectorXd::Zero(features)) {}
  void add(const Features& keys, const RightMatrix<double>& key_values) {
    const TokenMatrix features = keys.placed.transpose();
    key_values.multiply(features, values, true);
    sum += select_summed(keys, options).colwise().sum();
  }
};

/// Returns φ(q_i) · (seen + Σ_{j ≤ i} φ(k_j)) within one chunk of tokens.
Eigen::VectorXd causal_denominators(const TokenMatrix& queries, const TokenMatrix& keys, Eigen::RowVectorXd seen) {
  Eigen::VectorXd result(queries.rows());
  for (Eigen::Index i = 0; i < queries.rows(); ++i) {
    seen += keys.row(i);
    result[i] = queries.row(i).dot(seen);
  }
  return result;
}

Eigen::Index block_size(Eigen::Index begin, Eigen::Index tokens) {
  return std::min(kTokenBlock, tokens - begin);
}

/// Throws InputError if a denominator of linear attention is 0 or has almost no significant digits left. `first`: token
/// of the first one. NaN past a learned table is kept; rotated denominators are not checked.
void require_positive(const Eigen::VectorXd& denominators, Eigen::Index first, const AttentionOptions& options) {
  if (options.turned_denominator) return;
  for (Eigen::Index i = 0; i < denominators.size(); ++i) {
    if (!(denominators[i] < std::numeric_limits<double>::min())) continue;
    throw InputError("attention.underflow", {{"token", first + i}});
  }
}

/// Returns F φ(k) for all keys [tokens × features].
template <class Cell>
RowMatrix<Cell> place_keys(const FeatureMaker& maker, const AttentionInput& input, const Work& work) {
  RowMatrix<Cell> keys(input.keys.rows(), maker.width());
  parallel_for_blocks(keys.rows(), kTokenBlock, work, [&](Eigen::Index begin, Eigen::Index count) {
    keys.middleRows(begin, count) = maker.keys(begin, count).placed.template cast<Cell>();
  });
  return keys;
}

/// Writes the weights of some queries on all keys (transposed), divided by their denominators.
template <class Cell, class Weights>
void fill_weights(const Features& queries, const Eigen::VectorXd& divisors, const RightMatrix<Cell>& keys,
                  Weights&& weights) {
  const RowMatrix<Cell> left = (divisors.cwiseInverse().asDiagonal() * queries.placed).template cast<Cell>();
  keys.multiply(left, weights);
}

/// Returns the memory after all keys.
Memory accumulate_memory(const FeatureMaker& maker, const AttentionInput& input, const AttentionOptions& options,
                         const std::stop_token& stop) {
  const Eigen::Index tokens = input.keys.rows();
  Memory memory(options, maker.width(), input.values.cols());
  for (Eigen::Index begin = 0; begin < tokens && !stop.stop_requested(); begin += kTokenBlock) {
    const Eigen::Index count = block_size(begin, tokens);
    memory.add(maker.keys(begin, count), RightMatrix<double>::of(input.values.middleRows(begin, count), {1}));
  }
  return memory;
}

RowMatrix<double> linear_rows(const EncodingModel& model, const AttentionInput& input, Eigen::Index begin,
                              Eigen::Index count, const AttentionOptions& options) {
  const FeatureMaker maker(model, input, options);
  const Eigen::VectorXd divisors = linear_attention_denominators(model, input, options).segment(begin, count);
  const RowMatrix<double> keys = place_keys<double>(maker, input, {options.threads});
  const auto right_keys = RightMatrix<double>::of_transposed(keys, {options.threads});
  RowMatrix<double> weights(count, keys.rows());
  parallel_for_blocks(count, kTokenBlock, {options.threads}, [&](Eigen::Index first, Eigen::Index rows) {
    fill_weights(maker.queries(begin + first, rows), divisors.segment(first, rows), right_keys,
                 weights.middleRows(first, rows));
    for (Eigen::Index i = first; i < first + rows && options.causal; ++i) {
      weights.row(i).tail(keys.rows() - 1 - (begin + i)).setZero();
    }
  });
  return weights;
}

// --- Features ------------------------------------------------------------------------------------------------------

double elu_plus_one(double x) {
  return x > 0 ? x + 1 : std::exp(x);
}

void apply_query_kernel(LinearKernel kernel, Eigen::Ref<Eigen::RowVectorXd> row) {
  if (kernel == LinearKernel::elu_plus_one) {
    for (double& x : row) x = elu_plus_one(x);
    return;
  }
  const double shift = row.maxCoeff();
  for (double& x : row) x = std::exp(x - shift);
  if (kernel == LinearKernel::softmax_of_q) row /= row.sum();
}

// --- Content -------------------------------------------------------------------------------------------------------

/// Throws InputError unless found is in 1 … highest. `what`: the key of a text.
void require_range(const char* what, std::int64_t found, std::int64_t highest) {
  if (found >= 1 && found <= highest) return;
  throw InputError("attention.count", {{"what", Message(what)}, {"found", found}, {"most", highest}});
}

std::string size_text(const TokenMatrix& matrix) {
  return std::to_string(matrix.rows()) + " × " + std::to_string(matrix.cols());
}

void require_finite_content(const char* what, const TokenMatrix& matrix) {
  // This sum is quick to compute and NaN if any entry is not finite; only then are the entries checked one by one.
  if (std::isfinite((matrix.array() * 0).sum())) return;
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
    for (Eigen::Index column = 0; column < matrix.cols(); ++column) {
      if (std::isfinite(matrix(row, column))) continue;
      throw InputError("attention.not_finite",
                       {{"what", Message(what)}, {"found", matrix(row, column)}, {"token", row}, {"channel", column}});
    }
  }
}

// --- Shuffled words ------------------------------------------------------------------------------------------------

TokenMatrix reorder_rows(const TokenMatrix& rows, std::span<const Eigen::Index> order) {
  TokenMatrix out(rows.rows(), rows.cols());
  for (Eigen::Index place = 0; place < rows.rows(); ++place) {
    out.row(place) = rows.row(order[static_cast<std::size_t>(place)]);
  }
  return out;
}

/// Returns the weights with row and column i moved to those of token order[i].
RowMatrix<double> put_back(const RowMatrix<double>& weights, std::span<const Eigen::Index> order) {
  RowMatrix<double> out(weights.rows(), weights.cols());
  for (Eigen::Index row = 0; row < weights.rows(); ++row) {
    for (Eigen::Index column = 0; column < weights.cols(); ++column) {
      out(order[static_cast<std::size_t>(row)], order[static_cast<std::size_t>(column)]) = weights(row, column);
    }
  }
  return out;
}

void leave_out_later_keys(RowMatrix<double>& weights) {
  for (Eigen::Index row = 0; row < weights.rows(); ++row) {
    weights.row(row).tail(weights.cols() - 1 - row).setConstant(std::numeric_limits<double>::quiet_NaN());
  }
}

// --- Measured vectors ----------------------------------------------------------------------------------------------

/// One component of all pairs as [pairs × tokens], so tokens are adjacent in memory.
struct PairRows {
  TokenMatrix first, second;
};

PairRows pair_rows(const TokenMatrix& vectors, Pairing pairing, int pair_count) {
  PairRows rows{TokenMatrix(pair_count, vectors.rows()), TokenMatrix(pair_count, vectors.rows())};
  for (int pair = 0; pair < pair_count; ++pair) {
    const auto [first, second] = pair_channels(pairing, pair, pair_count);
    rows.first.row(pair) = vectors.col(first).transpose();
    rows.second.row(pair) = vectors.col(second).transpose();
  }
  return rows;
}

/// Returns the mean of q_i(t) · conj(k_i(t − distance)) over all tokens t ≥ distance.
std::complex<double> mean_product(const PairRows& queries, const PairRows& keys, int pair, Eigen::Index distance) {
  const Eigen::Index count = queries.first.cols() - distance;
  const auto query_first = queries.first.row(pair).tail(count), query_second = queries.second.row(pair).tail(count);
  const auto key_first = keys.first.row(pair).head(count), key_second = keys.second.row(pair).head(count);
  const std::complex<double> sum(query_first.dot(key_first) + query_second.dot(key_second),
                                 query_second.dot(key_first) - query_first.dot(key_second));
  return sum / static_cast<double>(count);
}

}  // namespace

template <class Cell>
Attention<Cell> softmax_attention(const EncodingModel& model, const AttentionInput& input,
                                  const AttentionOptions& options, std::stop_token stop) {
  validate(model, input);
  require_value_width(model, input);
  ScoreMatrixOptions matrix_options;
  matrix_options.first_query = matrix_options.first_key = options.first_position;
  matrix_options.threads = options.threads;
  Attention<Cell> result;
  result.weights = model.score_matrix<Cell>(input.queries, input.keys, matrix_options, stop);
  if (stop.stop_requested()) return {};
  const Eigen::Index tokens = input.queries.rows();
  result.row_sums.resize(tokens);
  const bool has_values = input.values.rows() > 0;
  if (has_values) result.outputs.resize(tokens, input.values.cols());
  const RowMatrix<Cell> values = input.values.template cast<Cell>();
  const auto right = RightMatrix<Cell>::of(values, {options.threads, stop});
  parallel_for_blocks(tokens, kTokenBlock, {options.threads, stop}, [&](Eigen::Index begin, Eigen::Index count) {
    for (Eigen::Index i = begin; i < begin + count; ++i) {
      softmax_row(result.weights.row(i), options.causal ? i + 1 : tokens);
      result.row_sums[i] = result.weights.row(i).template cast<double>().sum();
    }
    if (!has_values) return;
    RowMatrix<Cell> outputs(count, values.cols());
    right.multiply(result.weights.middleRows(begin, count), outputs);
    result.outputs.middleRows(begin, count) = outputs.template cast<double>();
    const auto& rows = model.plan().value_rows;
    if (rows) add_value_rows(*rows, result.weights, begin, count, result.outputs);
  });
  if (stop.stop_requested()) return {};
  return result;
}

template Attention<float> softmax_attention(const EncodingModel&, const AttentionInput&, const AttentionOptions&,
                                            std::stop_token);
template Attention<double> softmax_attention(const EncodingModel&, const AttentionInput&, const AttentionOptions&,
                                             std::stop_token);

TokenMatrix softmax_attention_outputs(const EncodingModel& model, const AttentionInput& input,
                                      const AttentionOptions& options, std::stop_token stop) {
  return softmax_attention<float>(model, input, options, stop).outputs;
}

// --- Linear attention ----------------------------------------------------------------------------------------------

Eigen::VectorXd linear_attention_denominators(const EncodingModel& model, const AttentionInput& input,
                                              const AttentionOptions& options) {
  const FeatureMaker maker(model, input, options);
  const Eigen::Index tokens = input.queries.rows();
  Eigen::VectorXd result(tokens);
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(maker.width());
  for (Eigen::Index begin = 0; begin < tokens; begin += kTokenBlock) {
    const Eigen::Index count = block_size(begin, tokens);
    const TokenMatrix keys = select_summed(maker.keys(begin, count), options);
    if (options.causal) {
      result.segment(begin, count) =
          causal_denominators(select_summed(maker.queries(begin, count), options), keys, sum);
    }
    sum += keys.colwise().sum();
  }
  for (Eigen::Index begin = 0; begin < tokens && !options.causal; begin += kTokenBlock) {
    const Eigen::Index count = block_size(begin, tokens);
    result.segment(begin, count) = select_summed(maker.queries(begin, count), options) * sum.transpose();
  }
  require_positive(result, 0, options);
  return result;
}

template <class Cell>
Attention<Cell> linear_attention(const EncodingModel& model, const AttentionInput& input,
                                 const AttentionOptions& options, std::stop_token stop) {
  const FeatureMaker maker(model, input, options);
  const Eigen::Index tokens = input.queries.rows();
  const Eigen::VectorXd divisors = linear_attention_denominators(model, input, options);
  const RowMatrix<Cell> keys = place_keys<Cell>(maker, input, {options.threads, stop});
  const auto right_keys = RightMatrix<Cell>::of_transposed(keys, {options.threads, stop});
  const RowMatrix<Cell> values = input.values.template cast<Cell>();
  const auto right_values = RightMatrix<Cell>::of(values, {options.threads, stop});
  Attention<Cell> result;
  result.weights.resize(tokens, tokens);
  result.row_sums.resize(tokens);
  const bool has_values = values.rows() > 0;
  if (has_values) result.outputs.resize(tokens, values.cols());
  parallel_for_blocks(tokens, kTokenBlock, {options.threads, stop}, [&](Eigen::Index begin, Eigen::Index count) {
    auto weights = result.weights.middleRows(begin, count);
    fill_weights(maker.queries(begin, count), divisors.segment(begin, count), right_keys, weights);
    for (Eigen::Index i = 0; i < count; ++i) {
      if (options.causal) weights.row(i).tail(tokens - 1 - (begin + i)).setZero();
      result.row_sums[begin + i] = weights.row(i).template cast<double>().sum();
    }
    if (!has_values) return;
    RowMatrix<Cell> outputs(count, values.cols());
    right_values.multiply(weights, outputs);
    result.outputs.middleRows(begin, count) = outputs.template cast<double>();
  });
  if (stop.stop_requested()) return {};
  return result;
}

template Attention<float> linear_attention(const EncodingModel&, const AttentionInput&, const AttentionOptions&,
                                           std::stop_token);
template Attention<double> linear_attention(const EncodingModel&, const AttentionInput&, const AttentionOptions&,
                                            std::stop_token);

TokenMatrix linear_attention_outputs(const EncodingModel& model, const AttentionInput& input,
                                     const AttentionOptions& options, std::stop_token stop) {
  const FeatureMaker maker(model, input, options);
  if (input.values.rows() == 0) return {};
  const Eigen::Index tokens = input.queries.rows();
  TokenMatrix outputs(tokens, input.values.cols());
  Memory memory = options.causal ? Memory(options, maker.width(), input.values.cols())
                                 : accumulate_memory(maker, input, options, stop);
  // The memory is constant unless the attention is causal.
  std::optional<RightMatrix<double>> remembered;
  if (!options.causal) remembered = RightMatrix<double>::of(memory.values, {1});
  // In chunks, so that the working data fits into the cache for any number of tokens.
  for (Eigen::Index begin = 0; begin < tokens && !stop.stop_requested(); begin += kTokenBlock) {
    const Eigen::Index count = block_size(begin, tokens);
    auto out = outputs.middleRows(begin, count);
    if (!options.causal) {
      const Features queries = maker.queries(begin, count);
      remembered->multiply(queries.placed, out);
      const Eigen::VectorXd divisors = select_summed(queries, options) * memory.sum.transpose();
      require_positive(divisors, begin, options);
      out = divisors.cwiseInverse().asDiagonal() * out;
      continue;
    }
    const auto [queries, keys] = maker.both(begin, count);
    RightMatrix<double>::of(memory.values, {1}).multiply(queries.placed, out);
    // Explicit weights within the chunk, running sums before it.
    const auto values = RightMatrix<double>::of(input.values.middleRows(begin, count), {1});
    TokenMatrix weights(count, count);
    RightMatrix<double>::of_transposed(keys.placed, {1}).multiply(queries.placed, weights);
    weights.triangularView<Eigen::StrictlyUpper>().setZero();
    values.multiply(weights, out, true);
    const Eigen::VectorXd divisors =
        causal_denominators(select_summed(queries, options), select_summed(keys, options), memory.sum);
    require_positive(divisors, begin, options);
    out = divisors.cwiseInverse().asDiagonal() * out;
    memory.add(keys, values);
  }
  if (stop.stop_requested()) return {};
  return outputs;
}

// --- Rows ----------------------------------------------------------------------------------------------------------

RowMatrix<double> attention_weights(AttentionKind kind, const EncodingModel& model, const AttentionInput& input,
                                    Eigen::Index begin, Eigen::Index count, const AttentionOptions& options) {
  return kind == AttentionKind::linear ? linear_rows(model, input, begin, count, options)
                                       : softmax_rows(model, input, begin, count, options);
}

// --- Features ------------------------------------------------------------------------------------------------------

TokenMatrix random_directions(int dim, int count, std::uint64_t seed) {
  constexpr std::int64_t kMaxNumbers = std::int64_t{1} << 21;
  const std::int64_t most = std::min<std::int64_t>(std::int64_t{kMaxFeaturesPerChannel} * dim, kMaxNumbers / dim);
  if (count < 1 || count > most) {
    throw InputError("attention.count", {{"what", Message("attention.features")}, {"found", count}, {"most", most}});
  }
  SplitMix generator{seed};
  const auto normal_vector = [&] {
    Eigen::RowVectorXd vector(dim);
    fill_normal(vector.data(), dim, 1, generator);
    return vector;
  };
  TokenMatrix directions(count, dim);
  Eigen::VectorXd lengths(count);
  for (Eigen::Index block = 0; block < count; block += dim) {
    for (Eigen::Index row = block; row < std::min<Eigen::Index>(block + dim, count); ++row) {
      Eigen::RowVectorXd vector = normal_vector();
      // Two passes are enough (Giraud, Langou and Rozložník 2005) for any number of previous rows.
      const auto before = directions.middleRows(block, row - block);
      for (int pass = 0; pass < 2; ++pass) vector -= (vector * before.transpose()) * before;
      directions.row(row) = vector.normalized();
      lengths[row] = normal_vector().norm();
    }
  }
  return lengths.asDiagonal() * directions;
}

FeatureMaker::FeatureMaker(const EncodingModel& model, const AttentionInput& input, const AttentionOptions& options)
    : model_(model), input_(input), options_(options) {
  if (!model.plan().encode) {
    throw InputError(model.encoding().name, "attention.not_linear", {});
  }
  validate(model, input);
  if (options.kernel == LinearKernel::elu_plus_one) return;
  if (options.kernel == LinearKernel::random_features) {
    const int dim = model.settings().dim;
    const int count = options.random_features == 0 ? dim : options.random_features;
    if (turns_features() && count % dim != 0) {
      throw InputError(model.encoding().name, "attention.feature_blocks", {{"features", count}, {"dim", dim}});
    }
    directions_ = random_directions(dim, count, options.feature_seed) / std::pow(static_cast<double>(dim), 0.25);
  }
  key_shift_ = -std::numeric_limits<double>::infinity();
  for (Eigen::Index begin = 0; begin < input.keys.rows(); begin += kTokenBlock) {
    const TokenMatrix block = exponents(false, begin, std::min(kTokenBlock, input.keys.rows() - begin));
    // NaNs past a learned table are kept.
    for (Eigen::Index i = 0; i < block.size(); ++i) {
      if (block.data()[i] > key_shift_) key_shift_ = block.data()[i];
    }
  }
}

void FeatureMaker::encode_row(bool of_query, const TokenMatrix& vectors, Eigen::Index begin, Eigen::Index row,
                              TokenMatrix& out) const {
  const Product& encode = *model_.plan().encode;
  const std::int64_t reference = options_.first_position + input_.queries.rows() / 2;
  form_vector(of_query ? encode.query : encode.key, {vectors.row(row).data(), static_cast<std::size_t>(vectors.cols())},
              {options_.first_position + begin + row, reference},
              {out.row(row).data(), static_cast<std::size_t>(out.cols())});
}

TokenMatrix FeatureMaker::encoded(bool of_query, const TokenMatrix& vectors, Eigen::Index begin) const {
  const Product& encode = *model_.plan().encode;
  TokenMatrix out(vectors.rows(), vector_width(of_query ? encode.query : encode.key));
  for (Eigen::Index i = 0; i < vectors.rows(); ++i) encode_row(of_query, vectors, begin, i, out);
  return out;
}

TokenMatrix FeatureMaker::kernel_input(bool of_query, Eigen::Index begin, Eigen::Index count) const {
  TokenMatrix vectors = (of_query ? input_.queries : input_.keys).middleRows(begin, count);
  if (turns_features()) return vectors;
  return encoded(of_query, vectors, begin);
}

bool FeatureMaker::turns_features() const {
  return model_.plan().rotates_features && !options_.turned_vectors;
}

TokenMatrix FeatureMaker::exponents(bool of_query, Eigen::Index begin, Eigen::Index count) const {
  TokenMatrix vectors = kernel_input(of_query, begin, count);
  if (directions_.size() == 0) return vectors;
  // |y|²/2 with y = x/d^¼.
  const Eigen::VectorXd halves = vectors.rowwise().squaredNorm() / (2 * std::sqrt(static_cast<double>(vectors.cols())));
  TokenMatrix result = vectors * directions_.transpose();
  result.colwise() -= halves;
  return result;
}

Features FeatureMaker::placed(bool of_query, TokenMatrix features, Eigen::Index begin) const {
  if (!turns_features()) return {features, features};
  TokenMatrix turned(features.rows(), features.cols());
  for (Eigen::Index first = 0, dim = input_.keys.cols(); first < features.cols(); first += dim) {
    turned.middleCols(first, dim) = encoded(of_query, features.middleCols(first, dim), begin);
  }
  return {std::move(features), std::move(turned)};
}

TokenMatrix FeatureMaker::query_features(Eigen::Index begin, Eigen::Index count) const {
  TokenMatrix features = exponents(true, begin, count);
  for (Eigen::Index i = 0; i < count; ++i) apply_query_kernel(options_.kernel, features.row(i));
  return features;
}

TokenMatrix FeatureMaker::key_features(Eigen::Index begin, Eigen::Index count) const {
  TokenMatrix features = exponents(false, begin, count);
  for (Eigen::Index i = 0; i < features.size(); ++i) {
    double& x = features.data()[i];
    x = options_.kernel == LinearKernel::elu_plus_one ? elu_plus_one(x) : std::exp(x - key_shift_);
  }
  return features;
}

Features FeatureMaker::queries(Eigen::Index begin, Eigen::Index count) const {
  return placed(true, query_features(begin, count), begin);
}

Features FeatureMaker::keys(Eigen::Index begin, Eigen::Index count) const {
  return placed(false, key_features(begin, count), begin);
}

std::pair<Features, Features> FeatureMaker::both(Eigen::Index begin, Eigen::Index count) const {
  if (!turns_features() || directions_.size() > 0) return {queries(begin, count), keys(begin, count)};
  const Product& encode = *model_.plan().encode;
  Features of_queries{query_features(begin, count), TokenMatrix(count, vector_width(encode.query))};
  Features of_keys{key_features(begin, count), TokenMatrix(count, vector_width(encode.key))};
  for (Eigen::Index i = 0; i < count; ++i) {
    encode_row(true, of_queries.plain, begin, i, of_queries.placed);
    encode_row(false, of_keys.plain, begin, i, of_keys.placed);
  }
  return {std::move(of_queries), std::move(of_keys)};
}

double random_feature_error(const EncodingModel& model, const AttentionInput& input, const AttentionOptions& options) {
  AttentionOptions turned = options;
  turned.kernel = LinearKernel::random_features;
  turned.turned_vectors = true;
  const FeatureMaker maker(model, input, turned);
  const Eigen::Index tokens = input.queries.rows();
  TokenMatrix weights = maker.queries(0, tokens).placed * maker.keys(0, tokens).placed.transpose();
  if (options.causal) weights.triangularView<Eigen::StrictlyUpper>().setZero();
  weights.array().colwise() /= weights.rowwise().sum().array().eval();
  const TokenMatrix exact = softmax_attention<double>(model, {input.queries, input.keys, {}}, options).weights;
  return (weights - exact).norm() / exact.norm();
}

// --- Content -------------------------------------------------------------------------------------------------------

AttentionInput make_content(ContentKind kind, int tokens, int dim, int value_dim, std::uint64_t seed) {
  require_range("attention.tokens", tokens, 65536);
  require_range("attention.channels", dim, 8192);
  require_range("attention.value_channels", value_dim, 8192);
  AttentionInput input{TokenMatrix(tokens, dim), TokenMatrix(tokens, dim), TokenMatrix(tokens, value_dim)};
  SplitMix generator{seed};
  if (kind == ContentKind::aligned) {
    input.queries.setConstant(std::sqrt(0.5));
    input.keys.setConstant(std::sqrt(0.5));
  } else {
    fill_normal(input.queries.data(), input.queries.size(), 1, generator);
    fill_normal(input.keys.data(), input.keys.size(), 1, generator);
  }
  fill_normal(input.values.data(), input.values.size(), 1, generator);
  return input;
}

void validate(const EncodingModel& model, const AttentionInput& input) {
  const int dim = model.settings().dim;
  if (input.queries.rows() < 1 || input.queries.cols() != dim) {
    throw InputError("attention.queries", {{"size", size_text(input.queries)}, {"dim", dim}});
  }
  if (input.keys.rows() != input.queries.rows() || input.keys.cols() != dim) {
    throw InputError("attention.keys", {{"size", size_text(input.keys)}, {"queries", size_text(input.queries)}});
  }
  if (input.values.rows() != 0 && input.values.rows() != input.queries.rows()) {
    throw InputError("attention.values", {{"size", size_text(input.values)}, {"tokens", input.queries.rows()}});
  }
  require_finite_content("attention.the_queries", input.queries);
  require_finite_content("attention.the_keys", input.keys);
  require_finite_content("attention.the_values", input.values);
}

// --- Shifted positions ---------------------------------------------------------------------------------------------

std::vector<ShiftEffect> shift_effects(const EncodingModel& model, const AttentionInput& input, AttentionKind kind,
                                       std::span<const std::int64_t> shifts, const AttentionOptions& options,
                                       std::stop_token stop) {
  if (input.values.rows() == 0) throw InputError("attention.no_values", {});
  const auto outputs_at = [&](std::int64_t first_position) -> TokenMatrix {
    AttentionOptions shifted = options;
    shifted.first_position = first_position;
    if (kind == AttentionKind::linear) return linear_attention_outputs(model, input, shifted, stop);
    return softmax_attention<double>(model, input, shifted, stop).outputs;
  };
  std::vector<ShiftEffect> effects;
  const TokenMatrix still = outputs_at(options.first_position);
  for (const std::int64_t shift : shifts) {
    const TokenMatrix moved = outputs_at(options.first_position + shift);
    if (stop.stop_requested()) break;
    ShiftEffect effect{shift, (moved - still).rowwise().norm(), 0};
    effect.relative = effect.change.norm() / still.norm();
    effects.push_back(std::move(effect));
  }
  return effects;
}

// --- Shuffled words ------------------------------------------------------------------------------------------------

ShuffleEffect shuffle_effect(const EncodingModel& model, const AttentionInput& input, AttentionKind kind,
                             std::span<const Eigen::Index> order, const AttentionOptions& options,
                             std::stop_token stop) {
  if (input.values.rows() == 0) throw InputError("attention.no_values", {});
  const auto attention_of = [&](const AttentionInput& tokens) {
    Attention<double> attention = kind == AttentionKind::linear
                                      ? linear_attention<double>(model, tokens, options, stop)
                                      : softmax_attention<double>(model, tokens, options, stop);
    if (options.causal) leave_out_later_keys(attention.weights);
    return attention;
  };
  Attention<double> before = attention_of(input);
  const Attention<double> permuted = attention_of(
      {reorder_rows(input.queries, order), reorder_rows(input.keys, order), reorder_rows(input.values, order)});
  if (stop.stop_requested()) return {};
  ShuffleEffect effect;
  TokenMatrix outputs(before.outputs.rows(), before.outputs.cols());
  for (Eigen::Index place = 0; place < outputs.rows(); ++place) {
    outputs.row(order[static_cast<std::size_t>(place)]) = permuted.outputs.row(place);
  }
  effect.change = (outputs - before.outputs).rowwise().norm();
  effect.relative = effect.change.norm() / before.outputs.norm();
  effect.after = put_back(permuted.weights, order);
  effect.before = std::move(before.weights);
  return effect;
}

std::vector<Eigen::Index> draw_permutation(Eigen::Index tokens, std::uint64_t seed) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(tokens));
  std::iota(order.begin(), order.end(), 0);
  SplitMix generator{seed};
  for (std::size_t last = order.size(); last > 1; --last) {
    const auto chosen = static_cast<std::size_t>(generator.uniform() * static_cast<double>(last));
    std::swap(order[last - 1], order[chosen]);
  }
  return order;
}

// --- Measured vectors ----------------------------------------------------------------------------------------------

MeasuredScores measured_scores(const EncodingModel& model, const AttentionInput& input, const AttentionOptions& options,
                               std::stop_token stop) {
  validate(model, input);
  ScoreMatrixOptions matrix_options;
  matrix_options.first_query = matrix_options.first_key = options.first_position;
  matrix_options.threads = options.threads;
  const RowMatrix<float> scores = model.score_matrix<float>(input.queries, input.keys, matrix_options, stop);
  if (stop.stop_requested()) return {};
  const Eigen::Index tokens = input.queries.rows();
  // By descending distance from tokens − 1: row i begins at tokens − 1 − i.
  Eigen::RowVectorXd sums = Eigen::RowVectorXd::Zero(2 * tokens - 1), squares = sums;
  for (Eigen::Index i = 0; i < tokens; ++i) {
    const Eigen::RowVectorXd row = scores.row(i).cast<double>();
    sums.segment(tokens - 1 - i, tokens) += row;
    squares.segment(tokens - 1 - i, tokens) += row.cwiseAbs2();
  }
  MeasuredScores measured;
  const Eigen::Index nearest = options.causal ? 0 : 1 - tokens;
  measured.mean.resize(tokens - nearest);
  measured.deviation.resize(tokens - nearest);
  for (Eigen::Index distance = nearest; distance < tokens; ++distance) {
    const double count = static_cast<double>(tokens - std::abs(distance));
    const double mean = sums[tokens - 1 - distance] / count;
    const double variance = squares[tokens - 1 - distance] / count - mean * mean;
    measured.distances.push_back(distance);
    measured.mean[distance - nearest] = mean;
    measured.deviation[distance - nearest] = variance < 0 ? 0 : std::sqrt(variance);
  }
  return measured;
}

MeanScoreBound mean_score_bound(const EncodingModel& model, const AttentionInput& input, const Work& work) {
  if (model.encoding().name != "rope") {
    throw InputError(model.encoding().name, "attention.no_bound", {});
  }
  validate(model, input);
  const Sinusoids& turning = *model.plan().values.front().sinusoids;
  const Eigen::VectorXd& frequencies = turning.frequencies;
  // q and k are both multiplied by the amplitude.
  const double scale = turning.amplitude * turning.amplitude * model.scale();
  const int pair_count = static_cast<int>(frequencies.size());
  const PairRows queries = pair_rows(input.queries, model.settings().pairing, pair_count);
  const PairRows keys = pair_rows(input.keys, model.settings().pairing, pair_count);
  const Eigen::Index tokens = input.queries.rows();
  MeanScoreBound result{Eigen::VectorXd(tokens), Eigen::VectorXd(tokens)};
  std::atomic<Eigen::Index> next = 0;
  run_on_threads(work.threads, [&] {
    // One distance at a time, because small distances cost most.
    for (Eigen::Index distance = next++; distance < tokens && !work.stopped(); distance = next++) {
      std::complex<double> score = 0, partial_sum = 0, before = 0;
      double sizes = 0, steepest = 0;
      for (int pair = 0; pair < pair_count; ++pair) {
        const std::complex<double> product = mean_product(queries, keys, pair, distance);
        const Phasor turn = phasor(frequencies[pair], static_cast<double>(distance));
        score += product * std::complex<double>(turn.cosine, turn.sine);
        partial_sum += std::complex<double>(turn.cosine, turn.sine);
        sizes += std::abs(partial_sum);
        if (pair > 0) steepest = std::max(steepest, std::abs(product - before));
        before = product;
      }
      steepest = std::max(steepest, std::abs(before));
      result.mean[distance] = scale * score.real();
      result.bound[distance] = scale * steepest * sizes;
    }
  });
  if (work.stopped()) return {};
  return result;
}

PairEnergy pair_energy(const AttentionInput& input, Pairing pairing, int rotary_dim) {
  const Eigen::Index dim = input.queries.cols();
  const Eigen::Index turning = rotary_dim == 0 ? dim : rotary_dim;
  if (input.queries.rows() < 1 || input.keys.cols() != dim || turning < 2 || turning > dim || turning % 2 != 0) {
    throw InputError("attention.pairs", {{"queries", dim}, {"keys", input.keys.cols()}, {"turning", turning}});
  }
  const int pair_count = static_cast<int>(turning / 2);
  const auto mean_size = [&](const TokenMatrix& vectors) -> Eigen::VectorXd {
    const PairRows rows = pair_rows(vectors, pairing, pair_count);
    return (rows.first.cwiseAbs2() + rows.second.cwiseAbs2()).cwiseSqrt().rowwise().mean();
  };
  PairEnergy energy{mean_size(input.queries), mean_size(input.keys), {}};
  energy.product = energy.query.cwiseProduct(energy.key);
  return energy;
}

}  // namespace ropescope
