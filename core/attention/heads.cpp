// Scores of heads by Fourier transforms, and means of pairs. Read attention.h first.
//
// Contents: Scores of heads; Means of pairs.

#include "core/attention/attention.h"

#include <unsupported/Eigen/FFT>

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "core/decay/kernel.h"
#include "core/message.h"
#include "core/rotary/rotation.h"

namespace ropescope {

// --- Scores of heads -----------------------------------------------------------------------------------------------

namespace {

/// Returns a power of two with room for all distances of both signs.
Eigen::Index fft_length(Eigen::Index tokens) {
  Eigen::Index length = 2;
  while (length < 2 * tokens) length *= 2;
  return length;
}

/// Writes the channels of one pair as complex numbers, followed by zeros.
void fill_signal(const TokenMatrix& vectors, const std::pair<int, int>& channels, Eigen::VectorXcd& signal) {
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
  const Eigen::Index tokens = queries.rows(), length = fft_length(tokens), pairs = turns.turns.cols();
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
    fill_signal(queries, {channels.first, channels.second}, signal);
    transform.fwd(query.data(), signal.data(), length);
    fill_signal(keys, {channels.first, channels.second}, signal);
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

// --- Means of pairs ------------------------------------------------------------------------------------------------

Eigen::VectorXcd PairMeans::direction() const {
  Eigen::VectorXcd directions(mean.size());
  for (Eigen::Index pair = 0; pair < mean.size(); ++pair) {
    directions[pair] = size[pair] > 0 ? mean[pair] / size[pair] : 0;
  }
  return directions;
}

PairMeans pair_means(const TokenMatrix& vectors, Pairing pairing, int pair_count) {
  if (vectors.rows() < 1 || pair_count < 1 || vectors.cols() < 2 * pair_count) {
    throw InputError("attention.pairs",
                     {{"queries", vectors.cols()}, {"keys", vectors.cols()}, {"turning", 2 * pair_count}});
  }
  PairMeans means{Eigen::VectorXd::Zero(pair_count), Eigen::VectorXcd::Zero(pair_count)};
  for (int pair = 0; pair < pair_count; ++pair) {
    const auto [first, second] = pair_channels(pairing, pair, pair_count);
    // One sequential sum from the first to the last token, so the result does not depend on the number of threads.
    double size = 0, real = 0, imaginary = 0;
    for (Eigen::Index token = 0; token < vectors.rows(); ++token) {
      const double x = vectors(token, first), y = vectors(token, second);
      size += std::sqrt(x * x + y * y);
      real += x;
      imaginary += y;
    }
    const auto tokens = static_cast<double>(vectors.rows());
    means.size[pair] = size / tokens;
    means.mean[pair] = std::complex<double>(real, imaginary) / tokens;
  }
  return means;
}

}  // namespace ropescope
