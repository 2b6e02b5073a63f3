// One edit of an experiment in text form, of which --set and lessons make hundreds, compared with a list of all fields
// with their expected and current values, which an edit must not build.

#include <benchmark/benchmark.h>

#include "app/experiment/experiment.h"

namespace ropescope {

namespace {

void set_one_field(benchmark::State& state) {
  Experiment experiment;
  for (auto _ : state) set_field(experiment, "rope.base=500000");
}
BENCHMARK(set_one_field);

void list_all_fields(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(list_fields());
}
BENCHMARK(list_all_fields);

}  // namespace

}  // namespace ropescope
