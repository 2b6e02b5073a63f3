// A 4 096 × 4 096 score matrix at d = 128 for every encoding, with different content everywhere (at most half a second)
// and once with the same content everywhere; linear attention for 2^10 … 2^14 tokens next to softmax attention up to
// 2^12. The counter "slope" is the slope of the straight line through log time over log tokens, best of three runs
// each: 1 is linear, 2 quadratic.

#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <string>

#include "core/attention/attention.h"

namespace ropescope {

namespace {

constexpr int kAttentionTokens = 4096, kDim = 128;
constexpr int kAttentionRuns = 3;

std::shared_ptr<const EncodingModel> model_of(const std::string& name) {
  EncodingValues settings;
  settings.dim = kDim;
  settings.trained_length = kAttentionTokens;
  return make_model(find_encoding(name), settings);
}

/// How many encodings there are: benchmarks are registered before the list of encodings can be asked.
constexpr int kEncodings = 15;

void score_matrix(benchmark::State& state, bool same_content) {
  const auto encodings = all_encodings();
  if (encodings.size() != kEncodings) {
    state.SkipWithError("kEncodings is not the number of encodings");
    return;
  }
  const std::string name(encodings[static_cast<std::size_t>(state.range(0))].name);
  const auto model = model_of(name);
  const AttentionInput input = make_content(ContentKind::random, same_content ? 1 : kAttentionTokens, kDim, 1, 1);
  const ScoreMatrixOptions options{.query_count = kAttentionTokens, .key_count = kAttentionTokens};
  for (auto _ : state) benchmark::DoNotOptimize(model->score_matrix<float>(input.queries, input.keys, options));
  state.SetLabel(name);
}

void value_map(benchmark::State& state, const std::string& name, const std::string& part) {
  EncodingValues settings;
  settings.dim = 3072;
  const auto model = make_model(find_encoding(name), settings);
  for (auto _ : state) benchmark::DoNotOptimize(model->value_map(part, 0, 8192));
}

enum class Way { linear, linear_causal, softmax };

TokenMatrix outputs_of(const EncodingModel& model, const AttentionInput& input, Way way) {
  if (way == Way::softmax) return softmax_attention_outputs(model, input);
  return linear_attention_outputs(model, input, {.causal = way == Way::linear_causal});
}

/// Least squares through (log tokens, log seconds) of 2^10 … 2^last tokens.
double slope_of(const EncodingModel& model, Way way, int last) {
  double x_mean = 0, y_mean = 0;
  std::vector<double> x, y;
  for (int power = 10; power <= last; ++power) {
    const AttentionInput input = make_content(ContentKind::random, 1 << power, kDim, kDim, 1);
    double best = std::numeric_limits<double>::infinity();
    for (int run = 0; run < kAttentionRuns; ++run) {
      const auto begin = std::chrono::steady_clock::now();
      benchmark::DoNotOptimize(outputs_of(model, input, way));
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    x.push_back(power * std::log(2.0));
    y.push_back(std::log(best));
    x_mean += x.back();
    y_mean += y.back();
  }
  x_mean /= static_cast<double>(x.size());
  y_mean /= static_cast<double>(y.size());
  double covariance = 0, variance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    covariance += (x[i] - x_mean) * (y[i] - y_mean);
    variance += (x[i] - x_mean) * (x[i] - x_mean);
  }
  return covariance / variance;
}

void attention(benchmark::State& state, Way way) {
  const auto model = model_of("rope");
  const AttentionInput input = make_content(ContentKind::random, static_cast<int>(state.range(0)), kDim, kDim, 1);
  for (auto _ : state) benchmark::DoNotOptimize(outputs_of(*model, input, way));
  state.SetComplexityN(state.range(0));
}

void slope(benchmark::State& state, Way way, int last) {
  const auto model = model_of("rope");
  for (auto _ : state) state.counters["slope"] = slope_of(*model, way, last);
}

}  // namespace

BENCHMARK_CAPTURE(score_matrix, own_content, false)
    ->DenseRange(0, kEncodings - 1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(score_matrix, same_content, true)
    ->DenseRange(0, kEncodings - 1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(value_map, cosines, "rope", "cos")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(value_map, angles, "rope", "angle")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(value_map, sinusoids, "sinusoidal", "p")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(attention, linear, Way::linear)
    ->RangeMultiplier(2)
    ->Range(1 << 10, 1 << 14)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Complexity();
BENCHMARK_CAPTURE(attention, linear_causal, Way::linear_causal)
    ->RangeMultiplier(2)
    ->Range(1 << 10, 1 << 14)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Complexity();
BENCHMARK_CAPTURE(attention, softmax, Way::softmax)
    ->RangeMultiplier(2)
    ->Range(1 << 10, 1 << 12)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Complexity();
BENCHMARK_CAPTURE(slope, linear, Way::linear, 14)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(slope, linear_causal, Way::linear_causal, 14)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(slope, softmax, Way::softmax, 12)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace ropescope
