// Reads or generates the vectors of a head, and computes the data for the pictures of the view Attention.

#include "app/views/attention/inputs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "app/views/shared/messages.h"
#include "core/message.h"

namespace ropescope {

namespace {

using AttentionClock = std::chrono::steady_clock;

double attention_seconds_since(AttentionClock::time_point start) {
  return std::chrono::duration<double>(AttentionClock::now() - start).count();
}

/// Returns the mean weight by distance (along the diagonals), from the keys after the query on. Skips NaN weights.
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

/// Computes the extremes and the negative share of all unmasked weights.
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

/// Number of runs per measured time: at least kRuns, and short runs are repeated until kLongEnough has passed.
constexpr int kRuns = 3, kMaxRuns = 25;
constexpr double kLongEnough = 0.05;

/// Returns the seconds of each run; empty if cancelled.
std::vector<double> times_of(const std::function<void()>& work, const std::stop_token& stop) {
  std::vector<double> times;
  double all = 0;
  work();  // warm-up: excludes one-time costs such as memory pages
  while (static_cast<int>(times.size()) < kRuns || (all < kLongEnough && static_cast<int>(times.size()) < kMaxRuns)) {
    if (stop.stop_requested()) return {};
    const AttentionClock::time_point start = AttentionClock::now();
    work();
    times.push_back(attention_seconds_since(start));
    all += times.back();
  }
  return times;
}

/// Returns the vectors of words: a word has the same q, k and v at every position.
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

DumpReading make_bounded_reading(const std::string& path, const std::stop_token& stop) {
  constexpr std::int64_t kMaxChannels = 8192;
  // The maximum count of numbers in q and k together for unpacking an .npz: 1 GiB of float32.
  constexpr std::int64_t kMaxNumbers = std::int64_t{1} << 28;
  DumpReading reading;
  reading.stop = stop;
  reading.accept = [path](const AttentionDump& dump) {
    if (dump.head_dim > kMaxChannels) {
      throw InputError(path, "dump.too_wide", {{"head_dim", dump.head_dim}, {"most", kMaxChannels}});
    }
    const std::int64_t of_token = (dump.heads + dump.key_heads) * dump.head_dim;
    if (of_token > 0 && dump.tokens > kMaxNumbers / of_token) {
      throw InputError(path, "dump.too_long",
                       {{"tokens", dump.tokens}, {"numbers", of_token}, {"most", kMaxNumbers / of_token}});
    }
  };
  return reading;
}

LoadedDump load_dump(const LayerOfDump& of, const Work& work) {
  DumpReading reading = make_bounded_reading(of.file.path, work.stop);
  reading.layer = of.layer;
  return load_attention_dump(of.file.path, reading);
}

std::size_t count_bytes(const LoadedDump& loaded) {
  return loaded.dump.q.bytes.size() + loaded.dump.k.bytes.size() + loaded.dump.v.bytes.size();
}

bool AttentionContent::operator==(const AttentionContent& other) const {
  return aligned == other.aligned && words == other.words && tokens == other.tokens && dim == other.dim &&
         seed == other.seed && file == other.file && head == other.head && layer == other.layer;
}

double AttentionContent::matrix_cost() const {
  const double count = tokens;
  return count * count * (0.2 * dim + 10) + 300.0 * dim * dim;
}

AttentionInput AttentionContent::make(bool values) const {
  if (!words.empty()) return input_of_words(*this, values);
  const ContentKind kind = aligned ? ContentKind::aligned : ContentKind::random;
  AttentionInput input =
      dump ? dump->head(head, tokens, file.path) : make_content(kind, tokens, dim, values ? dim : 1, seed);
  if (!values) input.values.resize(0, 0);
  if (values && input.values.rows() == 0) input.values = make_content(kind, tokens, 2, dim, seed).values;
  return input;
}

AttentionOptions AttentionSubject::options_on(int threads) const {
  AttentionOptions all = options;
  all.threads = threads;
  return all;
}

AttentionWeights compute_subject_weights(const AttentionSubject& subject, const Work& work) {
  AttentionWeights result;
  const AttentionClock::time_point start = AttentionClock::now();
  const auto model = subject.ready.model();
  const AttentionInput input = subject.content.make(false);
  const AttentionOptions options = subject.options_on(work.threads);
  const bool linear = subject.kind == AttentionKind::linear;
  Attention<float> attention = linear ? linear_attention<float>(*model, input, options, work.stop)
                                      : softmax_attention<float>(*model, input, options, work.stop);
  if (work.stopped()) return result;
  if (linear) result.least_denominator = linear_attention_denominators(*model, input, options).minCoeff();
  result.seconds = attention_seconds_since(start);
  const auto weights = std::make_shared<const RowMatrix<float>>(std::move(attention.weights));
  summarise_weights(*weights, result, subject.options.causal);
  summarise_sums(attention.row_sums, result);
  result.mean_by_distance = mean_by_distance(*weights, subject.options.causal);
  result.picture = picture_of(weights, subject.options.causal);
  return result;
}

std::size_t count_bytes(const ShiftEffect& effect) {
  return count_bytes(effect.change);
}

std::vector<ShiftEffect> measure_shift_effects(const ShiftedSubject& of, const Work& work) {
  return shift_effects(*of.subject.ready.model(), of.subject.content.make(true), of.subject.kind, of.shifts,
                       of.subject.options_on(work.threads), work.stop);
}

AttentionShuffle measure_shuffle_effect(const ShuffledSubject& of, const Work& work) {
  const ShuffleEffect effect = shuffle_effect(*of.subject.ready.model(), of.subject.content.make(true), of.subject.kind,
                                              of.order, of.subject.options_on(work.threads), work.stop);
  return {std::make_shared<const RowMatrix<float>>(effect.before.cast<float>()),
          std::make_shared<const RowMatrix<float>>(effect.after.cast<float>()), effect.change, effect.relative};
}

AttentionCost measure_cost(const MeasuredSubject& of, const Work& work) {
  constexpr int kShortest = 128;
  AttentionCost result;
  const Encoding& encoding = *of.subject.ready.encoding;
  EncodingValues long_enough = of.subject.ready.settings;
  // A table that ends earlier has the same cost as one that does not.
  long_enough.trained_length = std::max(long_enough.trained_length, of.longest);
  const auto model = make_model(encoding, long_enough);
  const AttentionOptions options = of.subject.options_on(1);
  const auto measure = [&](MeasuredCost& cost, int tokens, const std::function<void()>& run) {
    const std::vector<double> times = times_of(run, work.stop);
    if (times.empty()) return;
    cost.tokens.push_back(tokens);
    // Other work on this machine only ever adds time.
    cost.seconds.push_back(*std::min_element(times.begin(), times.end()));
    cost.runs = cost.runs == 0 ? static_cast<int>(times.size()) : std::min(cost.runs, static_cast<int>(times.size()));
  };
  for (int tokens = kShortest; tokens <= of.longest && !work.stopped(); tokens *= 2) {
    const int dim = of.subject.ready.settings.dim;
    const AttentionInput input = make_content(ContentKind::random, tokens, dim, dim, 1);
    measure(result.softmax, tokens, [&] { softmax_attention_outputs(*model, input, options, work.stop); });
    if (encoding.linear_attention) {
      measure(result.linear, tokens, [&] { linear_attention_outputs(*model, input, options, work.stop); });
    }
  }
  return result;
}

FeatureErrors feature_errors(const AttentionSubject& subject, const Work& work) {
  constexpr int kFewest = 8, kMaxNumbers = 1 << 17;  // kMaxNumbers: of ω, limits the time of wide heads
  FeatureErrors result;
  const auto model = subject.ready.model();
  const AttentionInput input = subject.content.make(false);
  const Eigen::Index tokens = std::min<Eigen::Index>(input.queries.rows(), FeatureErrors::kTokens);
  AttentionOptions options = subject.options_on(work.threads);
  const int dim = subject.ready.settings.dim, most = std::min(kMaxFeaturesPerChannel * dim, kMaxNumbers / dim);
  for (int count = std::min(kFewest, dim); count <= most; count *= 2) result.features.push_back(count);
  result.size = (input.queries.squaredNorm() + input.keys.squaredNorm()) /
                (2 * static_cast<double>(input.queries.rows()) * std::sqrt(dim));
  for (const double scale : FeatureErrors::kScales) {
    const AttentionInput scaled{scale * input.queries.topRows(tokens), scale * input.keys.topRows(tokens), {}};
    std::vector<double>& errors = result.errors.emplace_back();
    for (const double count : result.features) {
      double sum = 0;
      for (int seed = 1; seed <= FeatureErrors::kSeeds; ++seed) {
        if (work.stopped()) return result;
        options.random_features = static_cast<int>(count);
        options.feature_seed = static_cast<std::uint64_t>(seed);
        sum += random_feature_error(*model, scaled, options);
      }
      errors.push_back(sum / FeatureErrors::kSeeds);
    }
  }
  return result;
}

AttentionEnergy compute_subject_energy(const PairedSubject& of, const Work& work) {
  const AttentionSubject& subject = of.subject;
  const auto series = [](double first, const Eigen::VectorXd& values) {
    return make_series(first, 1, std::vector<double>(values.begin(), values.end()));
  };
  AttentionEnergy result;
  const auto model = subject.ready.model();
  const AttentionInput input = subject.content.make(false);
  const auto& ladder = subject.ready.settings.ladder;
  const int rotary_dim = ladder ? 2 * static_cast<int>(ladder->frequencies.size()) : subject.ready.settings.rotary_dim;
  result.pairs = pair_energy(input, of.pairing, rotary_dim);
  const MeasuredScores scores = measured_scores(*model, input, subject.options_on(work.threads), work.stop);
  if (work.stopped()) return result;
  const auto first = static_cast<double>(scores.distances.front());
  result.mean = series(first, scores.mean);
  result.above = series(first, scores.mean + scores.deviation);
  result.below = series(first, scores.mean - scores.deviation);
  if (subject.ready.encoding->name != "rope") return result;
  const MeanScoreBound bound = mean_score_bound(*model, input, work);
  if (work.stopped()) return result;
  result.turning = series(0, bound.mean);
  result.bound = series(0, bound.bound);
  result.lower_bound = series(0, -bound.bound);
  return result;
}

}  // namespace ropescope
