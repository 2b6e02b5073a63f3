#include <benchmark/benchmark.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/layouts/similarity.h"
#include "core/layouts/tables.h"
#include "tests/benchmarks/layout_benchmark.h"

namespace ropescope {

namespace {

/// An image of rows × columns tokens.
LayoutTables image_tables(const Layout& layout, int rows, int columns) {
  LayoutRequest request;
  request.image = ImageSize::tokens(rows, columns);
  if (takes(layout, "axes")) request.axes = {{"t", 16, {}}, {"row", 56, {}}, {"column", 56, {}}};
  return LayoutTables(arrange(layout, request));
}

/// Following the mouse: a new anchor each time. Aim: 1 ms for 64 tokens a side, 10 ms for 512.
void follow_anchor(benchmark::State& state, std::string_view name) {
  const auto rows = static_cast<int>(state.range(0)), columns = static_cast<int>(state.range(1));
  const LayoutTables tables = image_tables(find_layout(name), rows, columns);
  std::int64_t anchor = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(similarity_from(tables, anchor));
    anchor = (anchor + 7919) % tables.layout().row_count();
  }
}

constexpr std::int64_t kRows = 262144;
constexpr std::int64_t kPiece = 4096;

/// One of the two tables into a file, piece by piece. As in the command "layout", which writes one file after the
/// other, cosines and sines are both computed for each; without tables the same bytes are written plainly.
void write_table(const LayoutTables* tables, bool cosine, Eigen::Index pairs, const std::filesystem::path& path) {
  std::vector<float> cosines(static_cast<std::size_t>(kPiece * pairs)), sines(cosines.size());
  std::ofstream file(path, std::ios::binary);
  for (std::int64_t row = 0; row < kRows; row += kPiece) {
    if (tables) tables->table_rows<float>(row, kPiece, cosines.data(), sines.data());
    const std::vector<float>& cells = cosine ? cosines : sines;
    file.write(reinterpret_cast<const char*>(cells.data()), static_cast<std::streamsize>(cells.size() * sizeof(float)));
  }
}

/// Both tables of 8192×8192 pixels as float32. Aim: with tables at least half the speed of a plain write in the same
/// run.
void stream_tables(benchmark::State& state) {
  const LayoutTables tables = image_tables(find_layout("flux.1"), 512, 512);
  const Eigen::Index pairs = tables.layout().pair_count();
  const LayoutTables* computed = state.range(0) == 1 ? &tables : nullptr;
  const std::string path = (std::filesystem::temp_directory_path() / "ropescope-layout-benchmark").string();
  for (auto _ : state) {
    write_table(computed, true, pairs, path + "-cos");
    write_table(computed, false, pairs, path + "-sin");
  }
  state.SetBytesProcessed(state.iterations() * 2 * kRows * pairs * static_cast<std::int64_t>(sizeof(float)));
  std::filesystem::remove(path + "-cos");
  std::filesystem::remove(path + "-sin");
}
BENCHMARK(stream_tables)->ArgName("tables")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

void add_layout_benchmarks() {
  for (const Layout& layout : all_layouts()) {
    if (!takes(layout, "image")) continue;
    benchmark::RegisterBenchmark(("follow_anchor/" + std::string(layout.name)).c_str(), follow_anchor, layout.name)
        ->Args({64, 64})
        ->Args({512, 512})
        ->Unit(benchmark::kMillisecond);
  }
  // Axes that share their pairs and are too long for one product of matrices.
  benchmark::RegisterBenchmark("follow_anchor/vit-mixed", follow_anchor, "vit-mixed")
      ->Args({2419, 64})
      ->Unit(benchmark::kMillisecond);
}

}  // namespace ropescope
