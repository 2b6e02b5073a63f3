#include "core/attention/head_scores.h"

#include <algorithm>
#include <complex>
#include <unsupported/Eigen/FFT>

#include "core/attention/pair_means.h"
#include "core/decay/phasor.h"
#include "core/error.h"
#include "core/rotary/rotation.h"

namespace ropescope {

namespace {

/// A power of two with room for all distances of both signs.
Eigen::Index head_scores_padded(Eigen::Index tokens) {
  Eigen::Index length = 2;
  while (length < 2 * tokens) length *= 2;
  return length;
}

/// The channels of one pair as complex numbers, followed by zeros.
void fill_head_scores(const TokenMatrix& vectors, const std::pair<int, int>& channels, Eigen::VectorXcd& signal) {
  signal.setZero();
  for (Eigen::Index token = 0; token < vectors.rows(); ++token) {
    signal[token] = {vectors(token, channels.first), vectors(token, channels.second)};
  }
}

}  // namespace

HeadTurns head_turns(const Eigen::VectorXd& frequencies, Eigen::Index tokens, Pairing pairing, double factor) {
  HeadTurns turns;
  turns.pairing = pairing;
  turns.factor = factor;
  turns.turns.resize(tokens, frequencies.size());
  turns.partial_sums = Eigen::VectorXd::Zero(tokens);
  for (Eigen::Index distance = 0; distance < tokens; ++distance) {
    std::complex<double> sum = 0;
    for (Eigen::Index pair = 0; pair < frequencies.size(); ++pair) {
      const Phasor turn = phasor(frequencies[pair], static_cast<double>(distance));
      turns.turns(distance, pair) = {turn.cosine, turn.sine};
      sum += turns.turns(distance, pair);
      turns.partial_sums[distance] += std::abs(sum);
    }
  }
  return turns;
}

HeadScores head_scores(const TokenMatrix& queries, const TokenMatrix& keys, const HeadTurns& turns) {
  const Eigen::Index tokens = queries.rows(), length = head_scores_padded(tokens), pairs = turns.turns.cols();
  if (keys.rows() != tokens || tokens > turns.turns.rows() || keys.cols() != queries.cols()) {
    throw InputError("attention.pairs", {{"queries", queries.cols()}, {"keys", keys.cols()}, {"turning", 2 * pairs}});
  }
  const auto pair_count = static_cast<int>(pairs);
  const Eigen::VectorXcd query_mean = pair_means(queries, turns.pairing, pair_count).mean;
  const Eigen::VectorXcd key_mean = pair_means(keys, turns.pairing, pair_count).mean;
  HeadScores scores{Eigen::VectorXd::Zero(tokens), Eigen::VectorXd::Zero(tokens), Eigen::VectorXd::Zero(tokens)};
  Eigen::VectorXcd signal(length), query(length), key(length), before = Eigen::VectorXcd::Zero(tokens);
  Eigen::FFT<double> transform;
  for (int pair = 0; pair < pair_count; ++pair) {
    const auto channels = pair_channels(turns.pairing, pair, pair_count);
    fill_head_scores(queries, {channels.first, channels.second}, signal);
    transform.fwd(query.data(), signal.data(), length);
    fill_head_scores(keys, {channels.first, channels.second}, signal);
    transform.fwd(key.data(), signal.data(), length);
    query.array() *= key.array().conjugate();
    transform.inv(signal.data(), query.data(), length);
    const std::complex<double> fixed = query_mean[pair] * std::conj(key_mean[pair]);
    for (Eigen::Index distance = 0; distance < tokens; ++distance) {
      const std::complex<double> product = signal[distance] / static_cast<double>(tokens - distance);
      const std::complex<double> turn = turns.turns(distance, pair);
      scores.mean[distance] += (product * turn).real();
      scores.bias[distance] += (fixed * turn).real();
      if (pair > 0) scores.bound[distance] = std::max(scores.bound[distance], std::abs(product - before[distance]));
      before[distance] = product;
    }
  }
  scores.mean *= turns.factor;
  scores.bias *= turns.factor;
  const auto steepest = scores.bound.array().max(before.array().abs());
  scores.bound = (turns.factor * steepest * turns.partial_sums.head(tokens).array()).eval();
  return scores;
}

}  // namespace ropescope
