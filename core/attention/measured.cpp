#include <atomic>
#include <cmath>
#include <complex>
#include <string>

#include "core/attention/attention.h"
#include "core/attention/blocks.h"
#include "core/decay/phasor.h"
#include "core/encodings/plan.h"
#include "core/error.h"
#include "core/rotary/rotation.h"

namespace ropescope {

namespace {

/// One component of all pairs: [pairs × tokens], so that tokens lie side by side.
struct PairRows {
  TokenMatrix first, second;
};

PairRows pair_rows(const TokenMatrix& vectors, Pairing pairing, int pair_count) {
  PairRows rows{TokenMatrix(pair_count, vectors.rows()), TokenMatrix(pair_count, vectors.rows())};
  for (int pair = 0; pair < pair_count; ++pair) {
    const auto [first, second] = pair_channels(pairing, pair, pair_count);
    rows.first.row(pair) = vectors.col(first).transpose();
    rows.second.row(pair) = vectors.col(second).transpose();
  }
  return rows;
}

/// Mean of q_i(t) · conj(k_i(t − distance)) over the tokens t that have such a partner.
std::complex<double> mean_product(const PairRows& queries, const PairRows& keys, int pair, Eigen::Index distance) {
  const Eigen::Index count = queries.first.cols() - distance;
  const auto query_first = queries.first.row(pair).tail(count), query_second = queries.second.row(pair).tail(count);
  const auto key_first = keys.first.row(pair).head(count), key_second = keys.second.row(pair).head(count);
  const std::complex<double> sum(query_first.dot(key_first) + query_second.dot(key_second),
                                 query_second.dot(key_first) - query_first.dot(key_second));
  return sum / static_cast<double>(count);
}

}  // namespace

MeasuredScores measured_scores(const EncodingModel& model, const AttentionInput& input, const AttentionOptions& options,
                               std::stop_token stop) {
  validate(model, input);
  ScoreMatrixOptions matrix_options;
  matrix_options.first_query = matrix_options.first_key = options.first_position;
  matrix_options.threads = options.threads;
  const RowMatrix<float> scores = model.score_matrix<float>(input.queries, input.keys, matrix_options, stop);
  if (stop.stop_requested()) return {};
  const Eigen::Index tokens = input.queries.rows();
  // From the farthest distance, tokens − 1, downwards: row i begins at tokens − 1 − i.
  Eigen::RowVectorXd sums = Eigen::RowVectorXd::Zero(2 * tokens - 1), squares = sums;
  for (Eigen::Index i = 0; i < tokens; ++i) {
    const Eigen::RowVectorXd row = scores.row(i).cast<double>();
    sums.segment(tokens - 1 - i, tokens) += row;
    squares.segment(tokens - 1 - i, tokens) += row.cwiseAbs2();
  }
  MeasuredScores measured;
  const Eigen::Index nearest = options.causal ? 0 : 1 - tokens;
  measured.mean.resize(tokens - nearest);
  measured.deviation.resize(tokens - nearest);
  for (Eigen::Index distance = nearest; distance < tokens; ++distance) {
    const double count = static_cast<double>(tokens - std::abs(distance));
    const double mean = sums[tokens - 1 - distance] / count;
    const double variance = squares[tokens - 1 - distance] / count - mean * mean;
    measured.distances.push_back(distance);
    measured.mean[distance - nearest] = mean;
    measured.deviation[distance - nearest] = variance < 0 ? 0 : std::sqrt(variance);
  }
  return measured;
}

MeanScoreBound mean_score_bound(const EncodingModel& model, const AttentionInput& input, int threads,
                                std::stop_token stop) {
  if (model.encoding().name != "rope") {
    throw InputError(model.encoding().name, "attention.no_bound", {});
  }
  validate(model, input);
  const Sinusoids& turning = *model.plan().values.front().sinusoids;
  const Eigen::VectorXd& frequencies = turning.frequencies;
  // q and k are both multiplied by the amplitude.
  const double scale = turning.amplitude * turning.amplitude * model.scale();
  const int pair_count = static_cast<int>(frequencies.size());
  const PairRows queries = pair_rows(input.queries, model.settings().pairing, pair_count);
  const PairRows keys = pair_rows(input.keys, model.settings().pairing, pair_count);
  const Eigen::Index tokens = input.queries.rows();
  MeanScoreBound result{Eigen::VectorXd(tokens), Eigen::VectorXd(tokens)};
  std::atomic<Eigen::Index> next = 0;
  share_work(threads, [&] {
    // One distance at a time: the near ones cost most.
    for (Eigen::Index distance = next++; distance < tokens && !stop.stop_requested(); distance = next++) {
      std::complex<double> score = 0, partial_sum = 0, before = 0;
      double sizes = 0, steepest = 0;
      for (int pair = 0; pair < pair_count; ++pair) {
        const std::complex<double> product = mean_product(queries, keys, pair, distance);
        const Phasor turn = phasor(frequencies[pair], static_cast<double>(distance));
        score += product * std::complex<double>(turn.cosine, turn.sine);
        partial_sum += std::complex<double>(turn.cosine, turn.sine);
        sizes += std::abs(partial_sum);
        if (pair > 0) steepest = std::max(steepest, std::abs(product - before));
        before = product;
      }
      steepest = std::max(steepest, std::abs(before));
      result.mean[distance] = scale * score.real();
      result.bound[distance] = scale * steepest * sizes;
    }
  });
  if (stop.stop_requested()) return {};
  return result;
}

PairEnergy pair_energy(const AttentionInput& input, Pairing pairing, int rotary_dim) {
  const Eigen::Index dim = input.queries.cols();
  const Eigen::Index turning = rotary_dim == 0 ? dim : rotary_dim;
  if (input.queries.rows() < 1 || input.keys.cols() != dim || turning < 2 || turning > dim || turning % 2 != 0) {
    throw InputError("attention.pairs", {{"queries", dim}, {"keys", input.keys.cols()}, {"turning", turning}});
  }
  const int pair_count = static_cast<int>(turning / 2);
  const auto mean_size = [&](const TokenMatrix& vectors) -> Eigen::VectorXd {
    const PairRows rows = pair_rows(vectors, pairing, pair_count);
    return (rows.first.cwiseAbs2() + rows.second.cwiseAbs2()).cwiseSqrt().rowwise().mean();
  };
  PairEnergy energy{mean_size(input.queries), mean_size(input.keys), {}};
  energy.product = energy.query.cwiseProduct(energy.key);
  return energy;
}

}  // namespace ropescope
