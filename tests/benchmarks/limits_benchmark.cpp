// The smallest base whose similarity stays non-negative over a context, d = 128: the counter "base" is the answer. And
// one chunk of the curve of the Limits view.

#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "core/decay/limits.h"

namespace ropescope {

namespace {

void smallest_base_for(benchmark::State& state) {
  double base = 0;
  for (auto _ : state) {
    base = smallest_base({.context = state.range(0), .threads = static_cast<int>(state.range(1))}).value_or(0);
    benchmark::DoNotOptimize(base);
  }
  state.counters["base"] = base;
}

void limit_curve_of_a_decade(benchmark::State& state) {
  std::vector<double> bases;
  for (int i = 0; i < 200; ++i) bases.push_back(1e4 * std::pow(10, i / 200.0));
  for (auto _ : state) benchmark::DoNotOptimize(limit_curve(static_cast<int>(state.range(0)), bases, 1 << 20));
  state.counters["bases/s"] =
      benchmark::Counter(static_cast<double>(bases.size()), benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

// 0 threads: all cores.
BENCHMARK(smallest_base_for)
    ->ArgNames({"context", "threads"})
    ->Args({4096, 0})
    ->Args({32768, 0})
    ->Args({131072, 0})
    ->Args({131072, 1})
    ->Args({1048576, 0})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(limit_curve_of_a_decade)
    ->ArgName("rotary_dim")
    ->Arg(64)
    ->Arg(128)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace ropescope
