#include "app/views/compare/inputs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/views/shared/sentence.h"
#include "core/decay/random.h"

namespace ropescope {

namespace {

/// Steps that making a model takes: its tables, and its matrices of dim × dim numbers where it has some.
double model_cost(const EncodingSettings& settings) {
  const double dim = settings.dim;
  return 300 * dim + 40 * dim * dim;
}

void fill_normal(Eigen::VectorXd& vector, SplitMix& generator) {
  for (Eigen::Index i = 0; i < vector.size(); i += 2) {
    const std::complex<double> normals = normal_pair(generator);
    vector[i] = normals.real();
    if (i + 1 < vector.size()) vector[i + 1] = normals.imag();
  }
}

TokenMatrix one_row(const Eigen::VectorXd& vector) {
  return vector.transpose();
}

}  // namespace

QueryAndKey query_and_key(const CompareContent& content, int dim) {
  QueryAndKey result;
  result.q.resize(dim);
  result.k.resize(dim);
  if (!content.random) {
    // Both channels alike: a pair of unit norm whichever channels form it.
    result.q.setConstant(std::sqrt(0.5));
    result.k = result.q;
    return result;
  }
  SplitMix generator{content.seed};
  fill_normal(result.q, generator);
  fill_normal(result.k, generator);
  return result;
}

double DistanceCurveInput::cost() const {
  return model_cost(settings) + 20 * static_cast<double>(last - first + 1) * settings.dim;
}

std::shared_ptr<const DistanceCurve> DistanceCurveInput::compute(int threads, const std::stop_token& stop) const {
  auto curve = std::make_shared<DistanceCurve>();
  curve->model = make_model(find_encoding(encoding), settings);
  const QueryAndKey words = query_and_key(content, settings.dim);
  ScoreMatrixOptions options;
  options.first_query = key_position + first;
  options.query_count = last - first + 1;
  options.first_key = key_position;
  options.key_count = 1;
  options.threads = threads;
  const TokenMatrix scores = curve->model->score_matrix<double>(one_row(words.q), one_row(words.k), options, stop);
  if (stop.stop_requested()) return nullptr;
  curve->unit = words.q.norm() * words.k.norm() * curve->model->scale();
  std::vector<double> raw(scores.data(), scores.data() + scores.size()), normalised = raw;
  for (double& score : normalised) score /= curve->unit;
  curve->scores = make_series(static_cast<double>(first), 1, std::move(raw));
  curve->normalised = make_series(static_cast<double>(first), 1, std::move(normalised));
  return curve;
}

double ScoreMapsInput::cost() const {
  const auto tokens = static_cast<double>(count);
  return model_cost(settings) + 4 * tokens * settings.dim * (tokens + 20);
}

std::shared_ptr<const ScoreMaps> ScoreMapsInput::compute(int threads, const std::stop_token& stop) const {
  auto maps = std::make_shared<ScoreMaps>();
  maps->model = make_model(find_encoding(encoding), settings);
  maps->first = first;
  const QueryAndKey words = query_and_key(content, settings.dim);
  ScoreMatrixOptions options;
  options.first_query = options.first_key = first;
  options.query_count = options.key_count = count;
  options.threads = threads;
  const TokenMatrix q = one_row(words.q), k = one_row(words.k);
  maps->total = maps->model->score_matrix<double>(q, k, options, stop);
  const int terms = static_cast<int>(maps->model->term_names().size());
  for (options.term = 0; options.term < terms && !stop.stop_requested(); ++options.term) {
    maps->terms.push_back(maps->model->score_matrix<double>(q, k, options, stop));
  }
  if (stop.stop_requested()) return nullptr;
  return maps;
}

double PhraseScoresInput::cost() const {
  return model_cost(settings) + 100 * static_cast<double>(words.size() * words.size()) * settings.dim;
}

std::shared_ptr<const PhraseScores> PhraseScoresInput::compute(int threads, const std::stop_token& stop) const {
  auto scores = std::make_shared<PhraseScores>();
  scores->model = make_model(find_encoding(encoding), settings);
  scores->words = words;
  scores->at = at;
  scores->move = move;
  TokenMatrix content(static_cast<Eigen::Index>(words.size()), settings.dim);
  for (Eigen::Index row = 0; row < content.rows(); ++row) {
    content.row(row) = word_vector(words[static_cast<std::size_t>(row)], settings.dim, seed).transpose();
  }
  ScoreMatrixOptions options;
  options.threads = threads;
  options.first_query = options.first_key = at;
  scores->before = scores->model->score_matrix<double>(content, content, options, stop);
  options.first_query = options.first_key = at + move;
  scores->after = scores->model->score_matrix<double>(content, content, options, stop);
  if (stop.stop_requested()) return nullptr;
  // Not maxCoeff: a NaN has to win.
  const TokenMatrix change = (scores->after - scores->before).cwiseAbs();
  for (Eigen::Index i = 0; i < change.size(); ++i) {
    const double size = change.data()[i];
    if (!(size <= scores->largest_change)) scores->largest_change = size;
    if (std::isnan(size)) break;
  }
  return scores;
}

}  // namespace ropescope
