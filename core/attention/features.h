#pragma once

#include <stop_token>
#include <utility>

#include "core/attention/attention.h"

namespace ropescope {

/// φ of some tokens [tokens × features], and the same with the encoding on it, as the numerator takes it.
struct Features {
  TokenMatrix plain, placed;
};

/// Makes the features of linear attention, any tokens at a time.
class FeatureMaker {
 public:
  /// Throws InputError where linear attention is not defined for the encoding or the input does not fit. Model and
  /// input must live as long as this.
  FeatureMaker(const EncodingModel& model, const AttentionInput& input, const AttentionOptions& options);

  /// How many features a vector has: its channels, or the random ones.
  Eigen::Index width() const { return directions_.size() > 0 ? directions_.rows() : input_.keys.cols(); }
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
  /// What e^x is taken of: ω·y − |y|²/2 of random features, else the numbers themselves.
  TokenMatrix exponents(bool of_query, Eigen::Index begin, Eigen::Index count) const;
  bool turns_features() const;
  Features placed(bool of_query, TokenMatrix features, Eigen::Index begin) const;

  const EncodingModel& model_;
  const AttentionInput& input_;
  AttentionOptions options_;
  TokenMatrix directions_;  ///< ω/d^¼ of random features; else empty
  double key_shift_ = 0;    ///< taken off what e^x is taken of for keys: the largest of them all
};

}  // namespace ropescope
