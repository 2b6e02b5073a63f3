#include <algorithm>
#include <limits>
#include <string>

#include "core/attention/attention.h"
#include "core/attention/blocks.h"
#include "core/attention/rows.h"
#include "core/encodings/plan.h"
#include "core/error.h"
#include "core/products/products.h"

namespace ropescope {

namespace {

/// Turns the first `seen` scores into weights, the others into zeros.
template <class Row>
void softmax_row(Row&& row, Eigen::Index seen) {
  auto scores = row.head(seen).array();
  // Eigen's exp may lose a NaN on its way.
  if (scores.allFinite()) {
    scores = (scores - scores.maxCoeff()).exp();
    scores /= static_cast<typename std::decay_t<Row>::Scalar>(scores.template cast<double>().sum());
  } else {
    scores.setConstant(std::numeric_limits<typename std::decay_t<Row>::Scalar>::quiet_NaN());
  }
  row.tail(row.size() - seen).setZero();
}

/// Σ_j weights_ij p̃ⱽ_(i − j) for rows begin … begin + count − 1: the weights are summed by distance first.
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
  const auto right = RightMatrix<Cell>::of(values, options.threads, stop);
  share_blocks(tokens, kTokenBlock, options.threads, stop, [&](Eigen::Index begin, Eigen::Index count) {
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

RowMatrix<double> softmax_rows(const EncodingModel& model, const AttentionInput& input, Eigen::Index begin,
                               Eigen::Index count, const AttentionOptions& options) {
  validate(model, input);
  ScoreMatrixOptions matrix_options;
  matrix_options.first_key = options.first_position;
  matrix_options.first_query = options.first_position + begin;
  matrix_options.threads = options.threads;
  RowMatrix<double> weights =
      model.score_matrix<double>(input.queries.middleRows(begin, count), input.keys, matrix_options);
  share_blocks(count, kTokenBlock, options.threads, {}, [&](Eigen::Index first, Eigen::Index rows) {
    for (Eigen::Index i = first; i < first + rows; ++i) {
      softmax_row(weights.row(i), options.causal ? begin + i + 1 : weights.cols());
    }
  });
  return weights;
}

template Attention<float> softmax_attention(const EncodingModel&, const AttentionInput&, const AttentionOptions&,
                                            std::stop_token);
template Attention<double> softmax_attention(const EncodingModel&, const AttentionInput&, const AttentionOptions&,
                                             std::stop_token);

TokenMatrix softmax_attention_outputs(const EncodingModel& model, const AttentionInput& input,
                                      const AttentionOptions& options, std::stop_token stop) {
  return softmax_attention<float>(model, input, options, stop).outputs;
}

}  // namespace ropescope
