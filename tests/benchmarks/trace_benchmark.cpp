#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

#include "app/figure/scene/ticks.h"

namespace {

using namespace ropescope;

/// A line of four million values on 1 200 pixel columns: what a frame pays for it. Reading every value takes several
/// times as long (the second benchmark).
void trace_of_millions(benchmark::State& state) {
  std::vector<double> ys(4'000'000);
  for (std::size_t i = 0; i < ys.size(); ++i) ys[i] = std::sin(static_cast<double>(i));
  const auto series = make_series(0, 1, std::move(ys));
  const AxisMap x{{1, 3.9e6}, static_cast<AxisScale>(state.range(0)), 0, 1200};
  for (auto _ : state) benchmark::DoNotOptimize(trace(*series, x, 1));
}
BENCHMARK(trace_of_millions)
    ->Arg(static_cast<int>(AxisScale::linear))
    ->Arg(static_cast<int>(AxisScale::log))
    ->Arg(static_cast<int>(AxisScale::symlog))
    ->Unit(benchmark::kMicrosecond);

void reading_millions(benchmark::State& state) {
  std::vector<double> ys(4'000'000);
  for (std::size_t i = 0; i < ys.size(); ++i) ys[i] = std::sin(static_cast<double>(i));
  for (auto _ : state) {
    double low = 0, high = 0;
    for (const double y : ys) {
      low = std::min(low, y);
      high = std::max(high, y);
    }
    benchmark::DoNotOptimize(low + high);
  }
}
BENCHMARK(reading_millions)->Unit(benchmark::kMicrosecond);

}  // namespace
