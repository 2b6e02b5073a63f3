#include <benchmark/benchmark.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "core/layouts/similarity.h"
#include "core/layouts/tables.h"

namespace ropescope {

namespace {

/// A square image of so many tokens a side.
LayoutTables square_tables(const Layout& layout, int side) {
  LayoutRequest request;
  request.image = ImageSize::tokens(side, side);
  if (takes(layout, "axes")) request.axes = {{"t", 16, {}}, {"row", 56, {}}, {"column", 56, {}}};
  return LayoutTables(arrange(layout, request));
}

/// Following the mouse: a new anchor each time. Aim: 1 ms for 64 tokens a side, 10 ms for 512.
void follow_anchor(benchmark::State& state, const char* name) {
  const auto side = static_cast<int>(state.range(0));
  const LayoutTables tables = square_tables(find_layout(name), side);
  std::int64_t anchor = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(similarity_from(tables, anchor));
    anchor = (anchor + 7919) % tables.layout().row_count();
  }
}

constexpr std::int64_t kRows = 262144;
constexpr std::int64_t kPiece = 4096;

/// cos of all tokens of 8192×8192 pixels as float32 into a file, piece by piece. Aim: at least half the speed of
/// plain_write in the same run.
void stream_tables(benchmark::State& state) {
  const LayoutTables tables = square_tables(find_layout("flux.1"), 512);
  const Eigen::Index pairs = tables.layout().pair_count();
  std::vector<float> cosine(static_cast<std::size_t>(kPiece * pairs)), sine(cosine.size());
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "ropescope-layout-benchmark";
  for (auto _ : state) {
    std::ofstream cosines(path.string() + "-cos", std::ios::binary), sines(path.string() + "-sin", std::ios::binary);
    for (std::int64_t row = 0; row < kRows; row += kPiece) {
      if (state.range(0) == 1) tables.table_rows<float>(row, kPiece, cosine.data(), sine.data());
      const auto bytes = static_cast<std::streamsize>(cosine.size() * sizeof(float));
      cosines.write(reinterpret_cast<const char*>(cosine.data()), bytes);
      sines.write(reinterpret_cast<const char*>(sine.data()), bytes);
    }
  }
  state.SetBytesProcessed(state.iterations() * 2 * kRows * pairs * static_cast<std::int64_t>(sizeof(float)));
  std::filesystem::remove(path.string() + "-cos");
  std::filesystem::remove(path.string() + "-sin");
}
BENCHMARK(stream_tables)->ArgName("tables")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();

BENCHMARK_CAPTURE(follow_anchor, flux_1, "flux.1")->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(follow_anchor, flux_2, "flux.2")->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(follow_anchor, qwen_image, "qwen-image")->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(follow_anchor, wan, "wan")->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(follow_anchor, cogview4, "cogview4")->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(follow_anchor, ltx_video, "ltx-video")->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(follow_anchor, vit_axial, "vit-axial")->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(follow_anchor, vit_mixed, "vit-mixed")->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(follow_anchor, dinov3, "dinov3")->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(follow_anchor, qwen2_vl, "qwen2-vl")->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(follow_anchor, qwen3_vl, "qwen3-vl")->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(follow_anchor, lucidrains_axial, "lucidrains-axial")
    ->Arg(64)
    ->Arg(512)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(follow_anchor, raster, "raster")->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(follow_anchor, custom, "custom")->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace ropescope
