// The smallest base whose similarity stays non-negative over a context, d = 128: the counter "base" is the result.
// "former" is the search as it was before SumBands, in the same run. Also the curve of the Limits view: one decade of
// it, and everything that the view shows at first.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/decay/limits.h"
#include "tests/limits_reference.h"

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

void former_smallest_base_for(benchmark::State& state) {
  double base = 0;
  for (auto _ : state) {
    const BaseSearch search{.context = state.range(0), .threads = static_cast<int>(state.range(1))};
    base = reference::smallest_base(search, {}).value_or(0);
    benchmark::DoNotOptimize(base);
  }
  state.counters["base"] = base;
}

void robust_base_for(benchmark::State& state) {
  std::optional<RobustBase> found;
  for (auto _ : state) {
    found = robust_base({.context = state.range(0), .threads = static_cast<int>(state.range(1))});
    benchmark::ClobberMemory();
  }
  state.counters["base"] = found ? found->base : 0;
}

/// 4 608 bases from 100 to 1e7, as the view asks for them.
std::vector<double> bases_of_the_curve() {
  std::vector<double> bases;
  for (int i = 0; i < 4608; ++i) bases.push_back(100 * std::pow(1e5, i / 4608.0));
  return bases;
}

void whole_limit_curve(benchmark::State& state) {
  const std::vector<double> bases = bases_of_the_curve();
  for (auto _ : state) benchmark::DoNotOptimize(limit_curve(128, bases, 1 << 20, {static_cast<int>(state.range(0))}));
}

void former_whole_limit_curve(benchmark::State& state) {
  const std::vector<double> bases = bases_of_the_curve();
  for (auto _ : state) {
    reference::CosineSums sums;
    for (const double base : bases) {
      sums.set_plain(128, base);
      benchmark::DoNotOptimize(sums.first_negative(1, 1 << 20, {}));
    }
  }
}

void limit_curve_of_a_decade(benchmark::State& state) {
  std::vector<double> bases;
  for (int i = 0; i < 200; ++i) bases.push_back(1e4 * std::pow(10, i / 200.0));
  for (auto _ : state) benchmark::DoNotOptimize(limit_curve(static_cast<int>(state.range(0)), bases, 1 << 20));
  state.counters["bases/s"] =
      benchmark::Counter(static_cast<double>(bases.size()), benchmark::Counter::kIsIterationInvariantRate);
}

/// Contexts and threads, 0: all cores. The same for every search, so that they stand beside each other.
void searches(benchmark::internal::Benchmark* of) {
  of->ArgNames({"context", "threads"})->Unit(benchmark::kMillisecond)->UseRealTime();
  for (const std::int64_t context : {4096, 32768, 131072, 1048576}) of->Args({context, 0});
  of->Args({131072, 1});
}

}  // namespace

BENCHMARK(smallest_base_for)->Apply(searches);
BENCHMARK(former_smallest_base_for)->Apply(searches);
BENCHMARK(robust_base_for)->Apply(searches);
BENCHMARK(whole_limit_curve)->ArgName("threads")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(former_whole_limit_curve)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(limit_curve_of_a_decade)
    ->ArgName("rotary_dim")
    ->Arg(64)
    ->Arg(128)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace ropescope
