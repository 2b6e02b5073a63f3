// Similarity and Abel bound together, d = 128, b = 10 000, 131 072 distances: the tiled kernel compared with a plain
// scalar loop. After the usual table the speed-up of each path is printed, best of five against best of five.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "core/decay/kernel.h"
#include "core/message.h"
#include "core/rotary/spec.h"
#include "tests/benchmarks/layout_benchmark.h"

namespace ropescope {

namespace {

constexpr int kDimension = 128;
constexpr double kBase = 10000;
constexpr std::int64_t kDistances = 131072;
constexpr int kRuns = 5;

KernelRequest request_of(int threads) {
  KernelRequest request;
  request.frequencies = plain_frequencies(kDimension, kBase);
  request.count = kDistances;
  request.threads = threads;
  return request;
}

/// What one would write first: a sine, a cosine and a square root per pair and distance, one thread.
KernelCurves scalar_curves(const KernelRequest& request) {
  KernelCurves curves;
  const auto pair_count = request.frequencies.size();
  for (std::int64_t i = 0; i < request.count; ++i) {
    const double distance = static_cast<double>(request.first + i);
    double real = 0, imaginary = 0, magnitudes = 0;
    for (Eigen::Index pair = 0; pair < pair_count; ++pair) {
      const double angle = distance * request.frequencies[pair];
      real += std::cos(angle);
      imaginary += std::sin(angle);
      magnitudes += std::sqrt(real * real + imaginary * imaginary);
    }
    curves.similarity.push_back(real / static_cast<double>(pair_count));
    curves.bound.push_back(magnitudes / static_cast<double>(pair_count));
  }
  return curves;
}

void count_distances(benchmark::State& state) {
  state.counters["distances/s"] =
      benchmark::Counter(static_cast<double>(kDistances), benchmark::Counter::kIsIterationInvariantRate);
}

void scalar_loop(benchmark::State& state) {
  const KernelRequest request = request_of(1);
  for (auto _ : state) benchmark::DoNotOptimize(scalar_curves(request));
  count_distances(state);
}

void fast_path(benchmark::State& state, const char* path, int threads) {
  const KernelRequest request = request_of(threads);
  try {
    for (auto _ : state) benchmark::DoNotOptimize(kernel_curves_on(path, request));
  } catch (const InputError& error) {
    state.SkipWithError(error.what());
  }
  count_distances(state);
}

template <typename Work>
double best_seconds(Work&& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kRuns; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(work());
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

void print_ratios() {
  const KernelRequest request = request_of(0);
  const double scalar = best_seconds([&] { return scalar_curves(request); });
  std::printf("scalar loop: %.2f ms (best of %d)\n", scalar * 1e3, kRuns);
  for (const char* path : {"avx512", "avx2", "portable"}) {
    try {
      const double fast = best_seconds([&] { return kernel_curves_on(path, request); });
      const bool chosen = std::string(path) == kernel_path();
      std::printf("%s: %.2f ms, scalar/fast ratio %.1f%s\n", path, fast * 1e3, scalar / fast,
                  chosen ? "  <- the path of this machine" : "");
    } catch (const InputError& error) {
      std::printf("%s: %s\n", path, error.what());
    }
  }
}

}  // namespace

BENCHMARK(scalar_loop)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(fast_path, avx512_all_threads, "avx512", 0)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(fast_path, avx512_one_thread, "avx512", 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(fast_path, avx2_all_threads, "avx2", 0)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(fast_path, avx2_one_thread, "avx2", 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(fast_path, portable_all_threads, "portable", 0)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(fast_path, portable_one_thread, "portable", 1)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace ropescope

int main(int argc, char** argv) {
  ropescope::add_layout_benchmarks();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  ropescope::print_ratios();
  return 0;
}
