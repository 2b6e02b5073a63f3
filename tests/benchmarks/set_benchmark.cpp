// One edit of an experiment as --set and lessons make hundreds of: one in text, beside a list of all fields with what
// each expects and holds, which an edit is not to make.

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
