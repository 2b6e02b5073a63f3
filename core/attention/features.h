#pragma once

#include <stop_token>
#include <utility>

#include "core/attention/attention.h"

namespace ropescope {

/// φ of some tokens [tokens × dim], and the same with the encoding on it, as the numerator takes it.
struct Features {
  TokenMatrix plain, placed;
};

/// Makes the features of linear attention, any tokens at a time.
class FeatureMaker {
 public:
  /// Throws InputError where linear attention is not defined for the encoding or the input does not fit. Model and
  /// input must live as long as this.
  FeatureMaker(const EncodingModel& model, const AttentionInput& input, const AttentionOptions& options);

  Features queries(Eigen::Index begin, Eigen::Index count) const;
  Features keys(Eigen::Index begin, Eigen::Index count) const;
  /// Both of the same tokens, a token at a time: what depends on the position alone is computed once.
  std::pair<Features, Features> both(Eigen::Index begin, Eigen::Index count) const;

 private:
  void encode_row(bool of_query, const TokenMatrix& vectors, Eigen::Index begin, Eigen::Index row,
                  TokenMatrix& out) const;
  TokenMatrix encoded(bool of_query, const TokenMatrix& vectors, Eigen::Index begin) const;
  TokenMatrix query_features(Eigen::Index begin, Eigen::Index count) const;
  TokenMatrix key_features(Eigen::Index begin, Eigen::Index count) const;
  TokenMatrix kernel_input(bool of_query, Eigen::Index begin, Eigen::Index count) const;
  Features placed(bool of_query, TokenMatrix features, Eigen::Index begin) const;

  const EncodingModel& model_;
  const AttentionInput& input_;
  AttentionOptions options_;
  double key_shift_ = 0;  ///< taken off what e^x is taken of for keys: the largest of them all
};

}  // namespace ropescope
