#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/attention/head_scores.h"
#include "core/attention/pair_means.h"
#include "core/formats/attention_dump.h"

namespace ropescope {

/// What the tokens of each head of a layer have in common.
struct LayerMeans {
  std::vector<PairMeans> queries;  ///< [heads]
  std::vector<PairMeans> keys;     ///< [key heads], each shared by heads ÷ key heads neighbouring queries

  const PairMeans& keys_of(std::size_t head) const { return keys[head / (queries.size() / keys.size())]; }
  /// mean |q_i| · mean |k_i| of a head, the mean of |q_i||k_i| over all its pairs of tokens: [pairs].
  Eigen::VectorXd product(std::size_t head) const;
  /// The same averaged over the heads.
  Eigen::VectorXd product() const;
  /// mean(q_i) · conj(mean(k_i)) of a head: [pairs], the part of the score that every pair of tokens has.
  Eigen::VectorXcd fixed(std::size_t head) const;
  /// Σ_i |fixed_i| ÷ Σ_i product_i of a head, 0…1: how much of what it carries points the same way at every token. 0
  /// where it carries nothing.
  double fixed_share(std::size_t head) const;
};

/// What each pair holds of all of them: 0…1, summing to 1; all 0 where they hold nothing.
Eigen::VectorXd shares(const Eigen::VectorXd& product);
/// ½ Σ_i |a_i − b_i| of two such shares, 0…1: how much of them lies in other pairs.
double moved_share(const Eigen::VectorXd& a, const Eigen::VectorXd& b);

// The vectors of one head (tokens × head_dim doubles) are held at a time by each thread; a head is computed by one of
// them from its first token to its last, so that the numbers are the same for any number of threads. The first `tokens`
// tokens count. Throw InputError where a number is not finite (of several, the one of the first head). Empty where
// they were stopped.

LayerMeans layer_means(const AttentionDump& dump, std::int64_t tokens, Pairing pairing, int pair_count, int threads = 0,
                       const std::stop_token& stop = {});
/// Heads first … first + count − 1, counted from 0.
std::vector<HeadScores> layer_scores(const AttentionDump& dump, std::int64_t first, std::int64_t count,
                                     std::int64_t tokens, const HeadTurns& turns, int threads = 0,
                                     const std::stop_token& stop = {});

}  // namespace ropescope
