// Reads or makes up the vectors of a head and computes what the pictures of the view Attention show.

#include "app/views/attention/inputs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "app/views/shared/messages.h"
#include "core/words.h"

namespace ropescope {

namespace {

using AttentionClock = std::chrono::steady_clock;

double attention_seconds_since(AttentionClock::time_point start) {
  return std::chrono::duration<double>(AttentionClock::now() - start).count();
}

/// Steps of all scores of a head.
double matrix_cost(const AttentionContent& content) {
  const double tokens = content.tokens;
  return tokens * tokens * (0.2 * content.dim + 10) + 300.0 * content.dim * content.dim;
}

std::size_t size_of_attention(const std::shared_ptr<const Series>& series) {
  return series ? series->ys.size() * sizeof(double) : 0;
}

std::shared_ptr<const EncodingModel> model_of_attention(const AttentionSubject& subject) {
  return make_model(find_encoding(subject.encoding), subject.settings);
}

/// Sums along the diagonals: mean weight by distance, from the keys after the query on. NaN weights are passed over.
std::shared_ptr<const Series> mean_by_distance(const RowMatrix<float>& weights, bool causal) {
  const Eigen::Index tokens = weights.rows(), first = causal ? 0 : 1 - tokens;
  std::vector<double> sums(static_cast<std::size_t>(tokens - first)), counts(sums.size());
  for (Eigen::Index i = 0; i < tokens; ++i) {
    for (Eigen::Index j = 0; j < (causal ? i + 1 : tokens); ++j) {
      const auto at = static_cast<std::size_t>(i - j - first);
      if (std::isnan(weights(i, j))) continue;
      sums[at] += weights(i, j);
      counts[at] += 1;
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] /= counts[i];
  return make_series(static_cast<double>(first), 1, std::move(sums));
}

/// Extremes and the share below 0 of all weights that are not left out.
void summarise_weights(const RowMatrix<float>& weights, AttentionWeights& result, bool causal) {
  double count = 0, negative = 0;
  result.smallest = std::numeric_limits<double>::infinity();
  result.largest = -result.smallest;
  for (Eigen::Index i = 0; i < weights.rows(); ++i) {
    for (Eigen::Index j = 0; j < (causal ? i + 1 : weights.cols()); ++j) {
      const double weight = weights(i, j);
      if (std::isnan(weight)) continue;
      count += 1;
      negative += weight < 0 ? 1 : 0;
      result.smallest = std::min(result.smallest, weight);
      result.largest = std::max(result.largest, weight);
    }
  }
  result.negative_share = count > 0 ? negative / count : 0;
}

void summarise_sums(const Eigen::VectorXd& sums, AttentionWeights& result) {
  result.least_sum = std::numeric_limits<double>::infinity();
  result.most_sum = -result.least_sum;
  for (const double sum : sums) {
    if (std::isnan(sum)) {
      ++result.undefined_rows;
      continue;
    }
    result.least_sum = std::min(result.least_sum, sum);
    result.most_sum = std::max(result.most_sum, sum);
  }
  result.row_sums = make_series(0, 1, std::vector<double>(sums.begin(), sums.end()));
}

/// Median time of a few runs: at least kRuns, and the quick ones until kLongEnough has passed.
constexpr int kRuns = 3, kMostRuns = 25;
constexpr double kLongEnough = 0.05;

/// The seconds that the work took in each run, ascending; empty where it was stopped.
std::vector<double> times_of(const std::function<void()>& work, const std::stop_token& stop) {
  std::vector<double> times;
  double all = 0;
  work();  // what is needed once only (pages of memory) is not the cost
  while (static_cast<int>(times.size()) < kRuns || (all < kLongEnough && static_cast<int>(times.size()) < kMostRuns)) {
    if (stop.stop_requested()) return {};
    const AttentionClock::time_point start = AttentionClock::now();
    work();
    times.push_back(attention_seconds_since(start));
    all += times.back();
  }
  std::sort(times.begin(), times.end());
  return times;
}

/// The vectors of words: a word has the same q, k and v wherever it stands.
AttentionInput input_of_words(const AttentionContent& content, bool values) {
  const auto vectors = [&](std::uint64_t seed) {
    TokenMatrix rows(content.tokens, content.dim);
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      rows.row(i) = word_vector(content.words[static_cast<std::size_t>(i)], content.dim, seed).transpose();
    }
    return rows;
  };
  return {vectors(content.seed), vectors(content.seed + 1), values ? vectors(content.seed + 2) : TokenMatrix()};
}

}  // namespace

double DumpInput::cost() const {
  return 1e6 + 4 * static_cast<double>(file.size);
}

DumpReading bounded_reading(const std::string& path, const std::stop_token& stop) {
  constexpr std::int64_t kMostChannels = 8192;
  // The most numbers of q and k together, for which an .npz has to be unpacked: 1 GiB of float32.
  constexpr std::int64_t kMostNumbers = std::int64_t{1} << 28;
  DumpReading reading;
  reading.stop = stop;
  reading.accept = [path](const AttentionDump& dump) {
    if (dump.head_dim > kMostChannels) {
      throw InputError(path, "dump.too_wide", {{"head_dim", dump.head_dim}, {"most", kMostChannels}});
    }
    const std::int64_t of_token = (dump.heads + dump.key_heads) * dump.head_dim;
    if (of_token > 0 && dump.tokens > kMostNumbers / of_token) {
      throw InputError(path, "dump.too_long",
                       {{"tokens", dump.tokens}, {"numbers", of_token}, {"most", kMostNumbers / of_token}});
    }
  };
  return reading;
}

std::shared_ptr<const DumpFile> DumpInput::compute(int, const std::stop_token& stop) const {
  auto result = std::make_shared<DumpFile>();
  DumpReading reading = bounded_reading(file.path, stop);
  reading.layer = layer;
  try {
    result->loaded = load_attention_dump(file.path, reading);
  } catch (const InputError& error) {
    if (stop.stop_requested()) return nullptr;
    result->fault = error.words();
  }
  return result;
}

bool AttentionContent::operator==(const AttentionContent& other) const {
  return aligned == other.aligned && words == other.words && tokens == other.tokens && dim == other.dim &&
         seed == other.seed && file == other.file && head == other.head && layer == other.layer;
}

AttentionInput AttentionContent::make(bool values) const {
  if (!words.empty()) return input_of_words(*this, values);
  const ContentKind kind = aligned ? ContentKind::aligned : ContentKind::random;
  AttentionInput input =
      dump ? dump->loaded.head(head, tokens, file.path) : make_content(kind, tokens, dim, values ? dim : 1, seed);
  if (!values) input.values.resize(0, 0);
  if (values && input.values.rows() == 0) input.values = make_content(kind, tokens, 2, dim, seed).values;
  return input;
}

AttentionOptions AttentionSubject::options(int threads) const {
  AttentionOptions options;
  options.causal = causal;
  options.kernel = kernel;
  options.random_features = random_features;
  options.turned_vectors = turned_vectors;
  options.turned_denominator = turned_denominator;
  options.threads = threads;
  return options;
}

std::size_t AttentionWeights::bytes() const {
  const std::size_t cells = picture.cells ? picture.cells->values.size() * sizeof(float) : 0;
  const auto weights = picture.weights ? static_cast<std::size_t>(picture.weights->size()) * sizeof(float) : 0;
  return cells + weights + size_of_attention(row_sums) + size_of_attention(mean_by_distance);
}

double WeightsInput::cost() const {
  return matrix_cost(subject.content);
}

std::shared_ptr<const AttentionWeights> WeightsInput::compute(int threads, const std::stop_token& stop) const {
  auto result = std::make_shared<AttentionWeights>();
  const AttentionClock::time_point start = AttentionClock::now();
  try {
    const auto model = model_of_attention(subject);
    const AttentionInput input = subject.content.make(false);
    const AttentionOptions options = subject.options(threads);
    const bool linear = subject.kind == AttentionKind::linear;
    Attention<float> attention = linear ? linear_attention<float>(*model, input, options, stop)
                                        : softmax_attention<float>(*model, input, options, stop);
    if (stop.stop_requested()) return nullptr;
    if (linear) result->least_denominator = linear_attention_denominators(*model, input, options).minCoeff();
    result->seconds = attention_seconds_since(start);
    const auto weights = std::make_shared<const RowMatrix<float>>(std::move(attention.weights));
    summarise_weights(*weights, *result, subject.causal);
    summarise_sums(attention.row_sums, *result);
    result->mean_by_distance = mean_by_distance(*weights, subject.causal);
    result->picture = picture_of(weights, subject.causal);
  } catch (const InputError& error) {
    result->fault = error.words();
  }
  return result;
}

std::size_t AttentionShifts::bytes() const {
  std::size_t bytes = 0;
  for (const ShiftEffect& effect : effects) bytes += static_cast<std::size_t>(effect.change.size()) * sizeof(double);
  return bytes;
}

double ShiftInput::cost() const {
  return 2 * matrix_cost(subject.content) * static_cast<double>(shifts.size() + 1);
}

std::shared_ptr<const AttentionShifts> ShiftInput::compute(int threads, const std::stop_token& stop) const {
  auto result = std::make_shared<AttentionShifts>();
  try {
    result->effects = shift_effects(*model_of_attention(subject), subject.content.make(true), subject.kind, shifts,
                                    subject.options(threads), stop);
  } catch (const InputError& error) {
    result->fault = error.words();
  }
  if (stop.stop_requested()) return nullptr;
  return result;
}

std::size_t AttentionShuffle::bytes() const {
  return before ? 2 * static_cast<std::size_t>(before->size()) * sizeof(float) : 0;
}

double ShuffleInput::cost() const {
  return 4 * matrix_cost(subject.content);
}

std::shared_ptr<const AttentionShuffle> ShuffleInput::compute(int threads, const std::stop_token& stop) const {
  auto result = std::make_shared<AttentionShuffle>();
  try {
    const ShuffleEffect effect = shuffle_effect(*model_of_attention(subject), subject.content.make(true), subject.kind,
                                                order, subject.options(threads), stop);
    result->before = std::make_shared<const RowMatrix<float>>(effect.before.cast<float>());
    result->after = std::make_shared<const RowMatrix<float>>(effect.after.cast<float>());
    result->change = effect.change;
    result->relative = effect.relative;
  } catch (const InputError& error) {
    result->fault = error.words();
  }
  if (stop.stop_requested()) return nullptr;
  return result;
}

double CostInput::cost() const {
  return 1e9;
}

std::shared_ptr<const AttentionCost> CostInput::compute(int, const std::stop_token& stop) const {
  constexpr int kShortest = 128;
  auto result = std::make_shared<AttentionCost>();
  try {
    const Encoding& of = find_encoding(encoding);
    EncodingValues long_enough = settings;
    // A table that ends earlier costs as much as one that does not.
    long_enough.trained_length = std::max(settings.trained_length, longest);
    const auto model = make_model(of, long_enough);
    AttentionOptions options;
    options.causal = causal;
    options.kernel = kernel;
    options.random_features = random_features;
    options.turned_vectors = turned_vectors;
    options.threads = 1;
    const auto measure = [&](MeasuredCost& cost, int tokens, const std::function<void()>& work) {
      const std::vector<double> times = times_of(work, stop);
      if (times.empty()) return;
      cost.tokens.push_back(tokens);
      cost.seconds.push_back(times[times.size() / 2]);
      cost.runs = cost.runs == 0 ? static_cast<int>(times.size()) : std::min(cost.runs, static_cast<int>(times.size()));
    };
    for (int tokens = kShortest; tokens <= longest; tokens *= 2) {
      const AttentionInput input = make_content(ContentKind::random, tokens, settings.dim, settings.dim, 1);
      measure(result->softmax, tokens, [&] { softmax_attention_outputs(*model, input, options, stop); });
      if (of.linear_attention) {
        measure(result->linear, tokens, [&] { linear_attention_outputs(*model, input, options, stop); });
      }
      if (stop.stop_requested()) return nullptr;
    }
  } catch (const InputError& error) {
    result->fault = error.words();
  }
  return result;
}

std::shared_ptr<const FeatureErrors> FeatureErrorInput::compute(int threads, const std::stop_token& stop) const {
  constexpr int kFewest = 8, kMostNumbers = 1 << 17;  // of ω, so that wide heads take no longer
  auto result = std::make_shared<FeatureErrors>();
  try {
    const auto model = model_of_attention(subject);
    const AttentionInput input = subject.content.make(false);
    const Eigen::Index tokens = std::min<Eigen::Index>(input.queries.rows(), FeatureErrors::kTokens);
    AttentionOptions options = subject.options(threads);
    const int dim = subject.settings.dim, most = std::min(kMostFeaturesPerChannel * dim, kMostNumbers / dim);
    for (int count = std::min(kFewest, dim); count <= most; count *= 2) result->features.push_back(count);
    result->size = (input.queries.squaredNorm() + input.keys.squaredNorm()) /
                   (2 * static_cast<double>(input.queries.rows()) * std::sqrt(dim));
    for (const double scale : FeatureErrors::kScales) {
      const AttentionInput scaled{scale * input.queries.topRows(tokens), scale * input.keys.topRows(tokens), {}};
      std::vector<double>& errors = result->errors.emplace_back();
      for (const double count : result->features) {
        double sum = 0;
        for (int seed = 1; seed <= FeatureErrors::kSeeds; ++seed) {
          if (stop.stop_requested()) return nullptr;
          options.random_features = static_cast<int>(count);
          options.feature_seed = static_cast<std::uint64_t>(seed);
          sum += random_feature_error(*model, scaled, options);
        }
        errors.push_back(sum / FeatureErrors::kSeeds);
      }
    }
  } catch (const InputError& error) {
    result->fault = error.words();
  }
  return result;
}

std::size_t AttentionEnergy::bytes() const {
  return size_of_attention(mean) + size_of_attention(above) + size_of_attention(below) + size_of_attention(turning) +
         size_of_attention(bound) + size_of_attention(lower_bound);
}

double EnergyInput::cost() const {
  return 4 * matrix_cost(subject.content);
}

std::shared_ptr<const AttentionEnergy> EnergyInput::compute(int threads, const std::stop_token& stop) const {
  auto result = std::make_shared<AttentionEnergy>();
  const auto series = [](double first, const Eigen::VectorXd& values) {
    return make_series(first, 1, std::vector<double>(values.begin(), values.end()));
  };
  try {
    const auto model = model_of_attention(subject);
    const AttentionInput input = subject.content.make(false);
    const auto& ladder = subject.settings.ladder;
    const int rotary_dim = ladder ? 2 * static_cast<int>(ladder->frequencies.size()) : subject.settings.rotary_dim;
    result->pairs = pair_energy(input, pairing, rotary_dim);
    const MeasuredScores scores = measured_scores(*model, input, subject.options(threads), stop);
    if (stop.stop_requested()) return nullptr;
    const auto first = static_cast<double>(scores.distances.front());
    result->mean = series(first, scores.mean);
    result->above = series(first, scores.mean + scores.deviation);
    result->below = series(first, scores.mean - scores.deviation);
    if (subject.encoding == "rope") {
      const MeanScoreBound bound = mean_score_bound(*model, input, threads, stop);
      if (stop.stop_requested()) return nullptr;
      result->turning = series(0, bound.mean);
      result->bound = series(0, bound.bound);
      result->lower_bound = series(0, -bound.bound);
    }
  } catch (const InputError& error) {
    result->fault = error.words();
  }
  return result;
}

}  // namespace ropescope
