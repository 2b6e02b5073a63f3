#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

#include "core/check/check.h"
#include "core/layouts/tables.h"
#include "tests/store_values.h"

namespace ropescope {

namespace {

/// Tables of which no known cause is the explanation: the longest search that there is.
struct Unexplained {
  CheckReference reference;
  CheckInputs inputs;
};

/// `rows` positions, close together at first and then far apart, up to 120 000.
Unexplained unexplained(std::int64_t rows, int pairs, const std::function<double(double cosine)>& spoilt) {
  RotarySpec spec;
  spec.head_dim = 2 * pairs;
  spec.axes = {RotaryAxis{.rotary_dim = 2 * pairs, .base = 10000}};
  std::vector<double> positions;
  for (std::int64_t i = 0; i < rows; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(rows - 1), far = static_cast<double>(rows);
    positions.push_back(2 * i < rows ? static_cast<double>(i) : std::floor(far + (120000 - far) * std::pow(part, 3)));
  }
  Unexplained made{reference_from_rope(spec, {}, positions), {}};
  std::vector<double> cosine(static_cast<std::size_t>(rows * pairs)), sine(cosine.size());
  LayoutTables(made.reference.tokens).table_rows<double>(0, rows, cosine.data(), sine.data());
  for (double& number : cosine) number = spoilt(number);
  made.inputs.cosine = store_values("cos", {rows, pairs}, cosine, Storage::float32);
  made.inputs.sine = store_values("sin", {rows, pairs}, sine, Storage::float32);
  return made;
}

void search(benchmark::State& state, const std::function<double(double cosine)>& spoilt) {
  const Unexplained made = unexplained(state.range(0), static_cast<int>(state.range(1)), spoilt);
  std::int64_t effort = 0;
  for (auto _ : state) effort = check(made.reference, made.inputs).effort;
  state.counters["numbers"] = static_cast<double>(effort);
  state.counters["spent"] = effort >= kMaxEffort ? 1 : 0;
}

/// Aim: at most 5 s of CPU for 4 096 rows × 64 pairs, 10 s for 1 024 pairs.
void search_of_noise(benchmark::State& state) {
  std::mt19937_64 generator(11);
  std::normal_distribution<double> normal(0, 1e-3);
  search(state, [&](double cosine) { return cosine + normal(generator); });
}
BENCHMARK(search_of_noise)->Args({364, 64})->Args({4096, 64})->Args({4096, 1024})->Unit(benchmark::kMillisecond);

void search_of_an_amplitude_on_cosines_alone(benchmark::State& state) {
  search(state, [](double cosine) { return 1.1 * cosine; });
}
BENCHMARK(search_of_an_amplitude_on_cosines_alone)
    ->Args({364, 64})
    ->Args({4096, 64})
    ->Args({4096, 1024})
    ->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace ropescope
