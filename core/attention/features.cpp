#include "core/attention/features.h"

#include <cmath>
#include <limits>
#include <string>

#include "core/attention/blocks.h"
#include "core/decay/random.h"
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

TokenMatrix random_directions(int dim, int count, std::uint64_t seed) {
  constexpr std::int64_t kMostNumbers = std::int64_t{1} << 21;
  const std::int64_t most = std::min<std::int64_t>(std::int64_t{kMostFeaturesPerChannel} * dim, kMostNumbers / dim);
  if (count < 1 || count > most) {
    throw InputError("attention.count", {{"what", Words("attention.features")}, {"found", count}, {"most", most}});
  }
  SplitMix generator{seed};
  const auto normal_vector = [&] {
    Eigen::RowVectorXd vector(dim);
    for (Eigen::Index i = 0; i < dim; i += 2) {
      const std::complex<double> normals = normal_pair(generator);
      vector[i] = normals.real();
      if (i + 1 < dim) vector[i + 1] = normals.imag();
    }
    return vector;
  };
  TokenMatrix directions(count, dim);
  Eigen::VectorXd lengths(count);
  for (Eigen::Index block = 0; block < count; block += dim) {
    for (Eigen::Index row = block; row < std::min<Eigen::Index>(block + dim, count); ++row) {
      Eigen::RowVectorXd vector = normal_vector();
      // Twice is enough (Giraud, Langou and Rozložník 2005), however many rows there are before.
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

}  // namespace ropescope
