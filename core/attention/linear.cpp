#include "core/attention/attention.h"
#include "core/attention/blocks.h"
#include "core/attention/features.h"

namespace ropescope {

template <class Cell>
Attention<Cell> linear_attention(const EncodingModel& model, const AttentionInput& input,
                                 const AttentionOptions& options, std::stop_token stop) {
  const LinearFeatures features = linear_features(model, input, options, stop);
  if (stop.stop_requested()) return {};
  const Eigen::Index tokens = input.queries.rows();
  const Eigen::VectorXd divisors = denominators(features, options.causal);
  const RowMatrix<Cell> queries = (divisors.cwiseInverse().asDiagonal() * features.placed_query).template cast<Cell>();
  const RowMatrix<Cell> keys = features.placed_key.template cast<Cell>();
  const RowMatrix<Cell> values = input.values.template cast<Cell>();
  Attention<Cell> result;
  result.weights.resize(tokens, tokens);
  result.row_sums.resize(tokens);
  const bool has_values = values.rows() > 0;
  if (has_values) result.outputs.resize(tokens, values.cols());
  share_token_blocks(tokens, options.threads, stop, [&](Eigen::Index begin, Eigen::Index count) {
    auto weights = result.weights.middleRows(begin, count);
    weights.noalias() = queries.middleRows(begin, count) * keys.transpose();
    for (Eigen::Index i = 0; i < count; ++i) {
      if (options.causal) weights.row(i).tail(tokens - 1 - (begin + i)).setZero();
      result.row_sums[begin + i] = weights.row(i).template cast<double>().sum();
    }
    if (!has_values) return;
    const RowMatrix<Cell> outputs = weights * values;
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
  const LinearFeatures features = linear_features(model, input, options, stop);
  if (stop.stop_requested()) return {};
  const Eigen::Index tokens = input.queries.rows();
  TokenMatrix outputs(input.values.rows() > 0 ? tokens : 0, input.values.cols());
  if (outputs.size() == 0) return outputs;
  // Σ_j φ(k_j) v_jᵀ over the keys seen so far.
  TokenMatrix state = TokenMatrix::Zero(features.placed_key.cols(), input.values.cols());
  if (!options.causal) {
    state.noalias() = features.placed_key.transpose() * input.values;
    outputs.noalias() = features.placed_query * state;
  }
  for (Eigen::Index begin = 0; options.causal && begin < tokens && !stop.stop_requested(); begin += kTokenBlock) {
    const Eigen::Index count = std::min(kTokenBlock, tokens - begin);
    const auto queries = features.placed_query.middleRows(begin, count);
    const auto keys = features.placed_key.middleRows(begin, count);
    const auto values = input.values.middleRows(begin, count);
    // Within the chunk the few weights themselves, before it the running sum.
    const TokenMatrix weights = queries * keys.transpose();
    auto out = outputs.middleRows(begin, count);
    out.noalias() = queries * state;
    out.noalias() += weights.triangularView<Eigen::Lower>() * values;
    state.noalias() += keys.transpose() * values;
  }
  if (stop.stop_requested()) return {};
  return denominators(features, options.causal).cwiseInverse().asDiagonal() * outputs;
}

Eigen::VectorXd linear_attention_denominators(const EncodingModel& model, const AttentionInput& input,
                                              const AttentionOptions& options) {
  return denominators(linear_features(model, input, options, {}), options.causal);
}

}  // namespace ropescope
