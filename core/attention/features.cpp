#include "core/attention/features.h"

#include <cmath>
#include <limits>
#include <string>

#include "core/attention/blocks.h"
#include "core/encodings/plan.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// The largest number that is not NaN: e^x is taken relative to it.
double largest(const TokenMatrix& matrix) {
  double largest = -std::numeric_limits<double>::infinity();
  for (Eigen::Index i = 0; i < matrix.size(); ++i) {
    if (matrix.data()[i] > largest) largest = matrix.data()[i];
  }
  return largest;
}

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

void apply_key_kernel(LinearKernel kernel, double shift, Eigen::Ref<Eigen::RowVectorXd> row) {
  for (double& x : row) x = kernel == LinearKernel::elu_plus_one ? elu_plus_one(x) : std::exp(x - shift);
}

/// One side's vectors with the encoding on them.
TokenMatrix placed(const TokenVector& vector, const TokenMatrix& content, const AttentionOptions& options,
                   const std::stop_token& stop) {
  TokenMatrix out(content.rows(), vector_width(vector));
  const std::int64_t reference = options.first_position + content.rows() / 2;
  share_token_blocks(content.rows(), options.threads, stop, [&](Eigen::Index begin, Eigen::Index count) {
    for (Eigen::Index i = begin; i < begin + count; ++i) {
      form_vector(vector, {content.row(i).data(), static_cast<std::size_t>(content.cols())},
                  {options.first_position + i, reference}, {out.row(i).data(), static_cast<std::size_t>(out.cols())});
    }
  });
  return out;
}

}  // namespace

LinearFeatures linear_features(const EncodingModel& model, const AttentionInput& input, const AttentionOptions& options,
                               const std::stop_token& stop) {
  const ScorePlan& plan = model.plan();
  if (!plan.encode) {
    throw InputError(std::string(model.encoding().name) +
                     ": it acts on the score between two tokens, which linear attention never forms; expected an "
                     "encoding that acts on q and k, as rope does");
  }
  validate(model, input);
  LinearFeatures features{input.queries, input.keys, {}, {}};
  if (!plan.rotates_features) {
    features.query = placed(plan.encode->query, input.queries, options, stop);
    features.key = placed(plan.encode->key, input.keys, options, stop);
  }
  const double key_shift = largest(features.key);
  share_token_blocks(features.query.rows(), options.threads, stop, [&](Eigen::Index begin, Eigen::Index count) {
    for (Eigen::Index i = begin; i < begin + count; ++i) {
      apply_query_kernel(options.kernel, features.query.row(i));
      apply_key_kernel(options.kernel, key_shift, features.key.row(i));
    }
  });
  if (plan.rotates_features) {
    features.placed_query = placed(plan.encode->query, features.query, options, stop);
    features.placed_key = placed(plan.encode->key, features.key, options, stop);
  } else {
    features.placed_query = features.query;
    features.placed_key = features.key;
  }
  return features;
}

Eigen::VectorXd denominators(const LinearFeatures& features, bool causal) {
  const Eigen::Index tokens = features.query.rows();
  if (!causal) return features.query * features.key.colwise().sum().transpose();
  Eigen::VectorXd result(tokens);
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(features.key.cols());
  for (Eigen::Index i = 0; i < tokens; ++i) {
    sum += features.key.row(i);
    result[i] = features.query.row(i).dot(sum);
  }
  return result;
}

}  // namespace ropescope
