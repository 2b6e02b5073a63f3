// A training step with batches sampled beforehand: that of tests/benchmarks/training_torch.py (2 layers, width 128,
// length 128, batch 16) and that of `ropescope race` without options (width 64); and the test of a race. The argument
// is the number of threads. training_stop: the maximum time from a stop request at any point in a step of the largest
// model (4 layers, width 256, length 4096, one sequence per piece) until the step ends. ROPESCOPE_PROCESSOR=avx2 or
// =portable selects the paths of older processors.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/encodings/encoding.h"
#include "core/training/parameters.h"
#include "core/training/race.h"

namespace ropescope {

namespace {

constexpr int kTestSequences = 32;

struct Batch {
  std::vector<std::int32_t> tokens, targets;
};
Batch draw(int sequences, const ModelShape& shape) {
  RandomStream random{1};
  Batch batch;
  for (int i = 0; i < sequences * shape.length; ++i) {
    batch.tokens.push_back(static_cast<std::int32_t>(random.below(shape.vocabulary)));
    batch.targets.push_back(static_cast<std::int32_t>(random.below(shape.vocabulary)));
  }
  return batch;
}

Trainer<float> trainer_of(const ModelShape& shape, const TrainingOptions& options, const char* encoding, int threads) {
  return Trainer<float>(shape, position_tables(find_encoding(encoding), {}, shape, shape.length), options, 1, threads);
}

void training_step(benchmark::State& state, int width, const char* encoding) {
  ModelShape shape;
  shape.width = width;
  const TrainingOptions options;
  Trainer<float> trainer = trainer_of(shape, options, encoding, static_cast<int>(state.range(0)));
  const Batch batch = draw(options.batch, shape);
  for (auto _ : state) benchmark::DoNotOptimize(trainer.step(batch.tokens, batch.targets).loss);
}

void training_test(benchmark::State& state) {
  const ModelShape shape;
  Trainer<float> trainer = trainer_of(shape, {}, "rope", 1);
  const Batch batch = draw(kTestSequences, shape);
  for (auto _ : state) benchmark::DoNotOptimize(trainer.test(batch.tokens, batch.targets));
}

void training_stop(benchmark::State& state) {
  using Clock = std::chrono::steady_clock;
  ModelShape shape;
  shape.layers = 4, shape.width = 256, shape.length = 4096;
  TrainingOptions options;
  options.batch = 8;
  Trainer<float> trainer = trainer_of(shape, options, "rope", 2);
  const Batch batch = draw(options.batch, shape);
  RandomStream random{2};
  double longest = 0;
  for (auto _ : state) {
    std::stop_source stop;
    Clock::time_point asked;
    {
      const std::jthread step([&] { trainer.step(batch.tokens, batch.targets, stop.get_token()); });
      std::this_thread::sleep_for(std::chrono::duration<double>(5 * random.uniform()));
      asked = Clock::now();
      stop.request_stop();
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - asked).count();
    longest = std::max(longest, seconds);
    state.SetIterationTime(seconds);
  }
  state.counters["longest_ms"] = 1000 * longest;
}

#define ROPESCOPE_STEP(name, width, encoding)             \
  BENCHMARK_CAPTURE(training_step, name, width, encoding) \
      ->Arg(1)                                            \
      ->Arg(2)                                            \
      ->MeasureProcessCPUTime()                           \
      ->UseRealTime()                                     \
      ->Unit(benchmark::kMillisecond)
ROPESCOPE_STEP(width_128_rope, 128, "rope");
ROPESCOPE_STEP(width_64_rope, 64, "rope");
ROPESCOPE_STEP(width_64_none, 64, "none");
#undef ROPESCOPE_STEP
BENCHMARK(training_test)->Unit(benchmark::kMillisecond);
BENCHMARK(training_stop)->UseManualTime()->Iterations(12)->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace ropescope
