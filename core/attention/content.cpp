#include <cmath>
#include <string>

#include "core/attention/attention.h"
#include "core/decay/random.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// `what`: the key of a text.
void require_range(const char* what, std::int64_t found, std::int64_t highest) {
  if (found >= 1 && found <= highest) return;
  throw InputError("attention.count", {{"what", Words(what)}, {"found", found}, {"most", highest}});
}

void fill_normal_content(TokenMatrix& matrix, SplitMix& generator) {
  for (Eigen::Index i = 0; i < matrix.size(); i += 2) {
    const std::complex<double> normals = normal_pair(generator);
    matrix.data()[i] = normals.real();
    if (i + 1 < matrix.size()) matrix.data()[i + 1] = normals.imag();
  }
}

std::string size_text(const TokenMatrix& matrix) {
  return std::to_string(matrix.rows()) + " × " + std::to_string(matrix.cols());
}

void require_finite_content(const char* what, const TokenMatrix& matrix) {
  // One sum is quick, and NaN where any of them is none or infinite; else they are looked at one by one.
  if (std::isfinite((matrix.array() * 0).sum())) return;
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
    for (Eigen::Index column = 0; column < matrix.cols(); ++column) {
      if (std::isfinite(matrix(row, column))) continue;
      throw InputError("attention.not_finite",
                       {{"what", Words(what)}, {"found", matrix(row, column)}, {"token", row}, {"channel", column}});
    }
  }
}

}  // namespace

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
    fill_normal_content(input.queries, generator);
    fill_normal_content(input.keys, generator);
  }
  fill_normal_content(input.values, generator);
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

}  // namespace ropescope
