#include "core/attention/features.h"

#include <cmath>
#include <limits>
#include <string>

#include "core/attention/blocks.h"
#include "core/encodings/plan.h"
#include "core/error.h"

namespace ropescope {

namespace {

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

}  // namespace

FeatureMaker::FeatureMaker(const EncodingModel& model, const AttentionInput& input, const AttentionOptions& options)
    : model_(model), input_(input), options_(options) {
  if (!model.plan().encode) {
    throw InputError(model.encoding().name, "attention.not_linear", {});
  }
  validate(model, input);
  if (options.kernel == LinearKernel::elu_plus_one) return;
  key_shift_ = -std::numeric_limits<double>::infinity();
  for (Eigen::Index begin = 0; begin < input.keys.rows(); begin += kTokenBlock) {
    const TokenMatrix block = kernel_input(false, begin, std::min(kTokenBlock, input.keys.rows() - begin));
    // Past a learned table there are NaNs, which stay where they are.
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
  if (model_.plan().rotates_features) return vectors;
  return encoded(of_query, vectors, begin);
}

Features FeatureMaker::placed(bool of_query, TokenMatrix features, Eigen::Index begin) const {
  if (!model_.plan().rotates_features) return {features, features};
  TokenMatrix turned = encoded(of_query, features, begin);
  return {std::move(features), std::move(turned)};
}

TokenMatrix FeatureMaker::query_features(Eigen::Index begin, Eigen::Index count) const {
  TokenMatrix features = kernel_input(true, begin, count);
  for (Eigen::Index i = 0; i < count; ++i) apply_query_kernel(options_.kernel, features.row(i));
  return features;
}

TokenMatrix FeatureMaker::key_features(Eigen::Index begin, Eigen::Index count) const {
  TokenMatrix features = kernel_input(false, begin, count);
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
  if (!model_.plan().rotates_features) return {queries(begin, count), keys(begin, count)};
  const Product& encode = *model_.plan().encode;
  Features of_queries{query_features(begin, count), TokenMatrix(count, vector_width(encode.query))};
  Features of_keys{key_features(begin, count), TokenMatrix(count, vector_width(encode.key))};
  for (Eigen::Index i = 0; i < count; ++i) {
    encode_row(true, of_queries.plain, begin, i, of_queries.placed);
    encode_row(false, of_keys.plain, begin, i, of_keys.placed);
  }
  return {std::move(of_queries), std::move(of_keys)};
}

}  // namespace ropescope
