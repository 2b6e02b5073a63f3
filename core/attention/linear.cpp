#include <limits>
#include <optional>
#include <string>

#include "core/attention/attention.h"
#include "core/attention/blocks.h"
#include "core/attention/features.h"
#include "core/attention/rows.h"
#include "core/error.h"
#include "core/products/products.h"

namespace ropescope {

namespace {

/// What the denominator is a sum of.
const TokenMatrix& summed(const Features& features, const AttentionOptions& options) {
  return options.turned_denominator ? features.placed : features.plain;
}

/// What the keys seen so far leave behind: all that linear attention remembers of them.
struct Memory {
  const AttentionOptions& options;
  TokenMatrix values;      ///< Σ_j F φ(k_j) v_jᵀ [features × value channels]
  Eigen::RowVectorXd sum;  ///< Σ_j φ(k_j)
  Memory(const AttentionOptions& given, Eigen::Index features, Eigen::Index value_channels)
      : options(given), values(TokenMatrix::Zero(features, value_channels)), sum(Eigen::RowVectorXd::Zero(features)) {}
  void add(const Features& keys, const RightMatrix<double>& key_values) {
    const TokenMatrix features = keys.placed.transpose();
    key_values.multiply(features, values, true);
    sum += summed(keys, options).colwise().sum();
  }
};

/// φ(q_i) · (seen + Σ_{j ≤ i} φ(k_j)) within one chunk of tokens.
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

/// Throws InputError where linear attention would divide by 0, or by what has hardly a digit left. `first`: the first
/// one's token. NaN past a learned table stays, and turned ones are what they are.
void require_positive(const Eigen::VectorXd& denominators, Eigen::Index first, const AttentionOptions& options) {
  if (options.turned_denominator) return;
  for (Eigen::Index i = 0; i < denominators.size(); ++i) {
    if (!(denominators[i] < std::numeric_limits<double>::min())) continue;
    throw InputError("attention.underflow", {{"token", first + i}});
  }
}

/// F φ(k) of all keys [tokens × features].
template <class Cell>
RowMatrix<Cell> placed_keys(const FeatureMaker& maker, const AttentionInput& input, int threads,
                            const std::stop_token& stop) {
  RowMatrix<Cell> keys(input.keys.rows(), maker.width());
  share_blocks(keys.rows(), kTokenBlock, threads, stop, [&](Eigen::Index begin, Eigen::Index count) {
    keys.middleRows(begin, count) = maker.keys(begin, count).placed.template cast<Cell>();
  });
  return keys;
}

/// The weights of some queries, whose denominators are given, on all keys (transposed).
template <class Cell, class Weights>
void fill_weights(const Features& queries, const Eigen::VectorXd& divisors, const RightMatrix<Cell>& keys,
                  Weights&& weights) {
  const RowMatrix<Cell> left = (divisors.cwiseInverse().asDiagonal() * queries.placed).template cast<Cell>();
  keys.multiply(left, weights);
}

/// The memory after all keys.
Memory memory_of_all(const FeatureMaker& maker, const AttentionInput& input, const AttentionOptions& options,
                     const std::stop_token& stop) {
  const Eigen::Index tokens = input.keys.rows();
  Memory memory(options, maker.width(), input.values.cols());
  for (Eigen::Index begin = 0; begin < tokens && !stop.stop_requested(); begin += kTokenBlock) {
    const Eigen::Index count = block_size(begin, tokens);
    memory.add(maker.keys(begin, count), RightMatrix<double>::of(input.values.middleRows(begin, count), 1));
  }
  return memory;
}

}  // namespace

Eigen::VectorXd linear_attention_denominators(const EncodingModel& model, const AttentionInput& input,
                                              const AttentionOptions& options) {
  const FeatureMaker maker(model, input, options);
  const Eigen::Index tokens = input.queries.rows();
  Eigen::VectorXd result(tokens);
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(maker.width());
  for (Eigen::Index begin = 0; begin < tokens; begin += kTokenBlock) {
    const Eigen::Index count = block_size(begin, tokens);
    const TokenMatrix keys = summed(maker.keys(begin, count), options);
    if (options.causal) {
      result.segment(begin, count) = causal_denominators(summed(maker.queries(begin, count), options), keys, sum);
    }
    sum += keys.colwise().sum();
  }
  for (Eigen::Index begin = 0; begin < tokens && !options.causal; begin += kTokenBlock) {
    const Eigen::Index count = block_size(begin, tokens);
    result.segment(begin, count) = summed(maker.queries(begin, count), options) * sum.transpose();
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
  const RowMatrix<Cell> keys = placed_keys<Cell>(maker, input, options.threads, stop);
  const auto right_keys = RightMatrix<Cell>::of_transposed(keys, options.threads, stop);
  const RowMatrix<Cell> values = input.values.template cast<Cell>();
  const auto right_values = RightMatrix<Cell>::of(values, options.threads, stop);
  Attention<Cell> result;
  result.weights.resize(tokens, tokens);
  result.row_sums.resize(tokens);
  const bool has_values = values.rows() > 0;
  if (has_values) result.outputs.resize(tokens, values.cols());
  share_blocks(tokens, kTokenBlock, options.threads, stop, [&](Eigen::Index begin, Eigen::Index count) {
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

RowMatrix<double> linear_rows(const EncodingModel& model, const AttentionInput& input, Eigen::Index begin,
                              Eigen::Index count, const AttentionOptions& options) {
  const FeatureMaker maker(model, input, options);
  const Eigen::VectorXd divisors = linear_attention_denominators(model, input, options).segment(begin, count);
  const RowMatrix<double> keys = placed_keys<double>(maker, input, options.threads, {});
  const auto right_keys = RightMatrix<double>::of_transposed(keys, options.threads);
  RowMatrix<double> weights(count, keys.rows());
  share_blocks(count, kTokenBlock, options.threads, {}, [&](Eigen::Index first, Eigen::Index rows) {
    fill_weights(maker.queries(begin + first, rows), divisors.segment(first, rows), right_keys,
                 weights.middleRows(first, rows));
    for (Eigen::Index i = first; i < first + rows && options.causal; ++i) {
      weights.row(i).tail(keys.rows() - 1 - (begin + i)).setZero();
    }
  });
  return weights;
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
  Memory memory =
      options.causal ? Memory(options, maker.width(), input.values.cols()) : memory_of_all(maker, input, options, stop);
  // Unless causal, the memory stays as it is.
  std::optional<RightMatrix<double>> remembered;
  if (!options.causal) remembered = RightMatrix<double>::of(memory.values, 1);
  // Chunk by chunk, so that what is at hand stays in the cache however many tokens there are.
  for (Eigen::Index begin = 0; begin < tokens && !stop.stop_requested(); begin += kTokenBlock) {
    const Eigen::Index count = block_size(begin, tokens);
    auto out = outputs.middleRows(begin, count);
    if (!options.causal) {
      const Features queries = maker.queries(begin, count);
      remembered->multiply(queries.placed, out);
      const Eigen::VectorXd divisors = summed(queries, options) * memory.sum.transpose();
      require_positive(divisors, begin, options);
      out = divisors.cwiseInverse().asDiagonal() * out;
      continue;
    }
    const auto [queries, keys] = maker.both(begin, count);
    RightMatrix<double>::of(memory.values, 1).multiply(queries.placed, out);
    // Within the chunk the few weights themselves, before it the running sums.
    const auto values = RightMatrix<double>::of(input.values.middleRows(begin, count), 1);
    TokenMatrix weights(count, count);
    RightMatrix<double>::of_transposed(keys.placed, 1).multiply(queries.placed, weights);
    weights.triangularView<Eigen::StrictlyUpper>().setZero();
    values.multiply(weights, out, true);
    const Eigen::VectorXd divisors = causal_denominators(summed(queries, options), summed(keys, options), memory.sum);
    require_positive(divisors, begin, options);
    out = divisors.cwiseInverse().asDiagonal() * out;
    memory.add(keys, values);
  }
  if (stop.stop_requested()) return {};
  return outputs;
}

}  // namespace ropescope
