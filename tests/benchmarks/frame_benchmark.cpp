// The interface's own work per frame: null graphics, the real store with its worker, the base dragged from frame to
// frame. Prints the median and the 99th percentile as counters; the aim is 2 ms and 8 ms.

#include <benchmark/benchmark.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "app/gpu/gpu.h"
#include "app/ui/app.h"
#include "app/ui/imgui_compat.h"

namespace ropescope {
namespace {

constexpr int kWidth = 1600, kHeight = 1000;

double milliseconds_of_frame(ui::App& app, Gpu& gpu) {
  ImGui::GetIO().DisplaySize = {kWidth, kHeight};
  ImGui::GetIO().DeltaTime = 1.0f / 60;
  const auto begin = std::chrono::steady_clock::now();
  gpu.begin_frame();
  ImGui::NewFrame();
  ui::draw_app(app, kWidth, kHeight);
  ImGui::Render();
  gpu.draw(ImGui::GetDrawData(), app.ui.palette.ground, kWidth, kHeight);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// One view; the base goes up by a part in a thousand in every frame, as under a dragged slider.
void dragging_the_base(benchmark::State& state) {
  const View& view = all_views()[static_cast<std::size_t>(state.range(0))];
  ui::HeadlessImGui imgui(kWidth, kHeight);
  const auto gpu = make_null_gpu();
  ui::App app(find_places(), Store::Mode::asynchronous);
  app.saves_state = false;
  ui::apply_settings(app, 1);
  gpu->reload_fonts();
  Experiment experiment;
  experiment.view = view.id;
  experiment.decay.span = 131072;
  std::vector<double> frames;
  for (auto _ : state) {
    experiment.rope.base = 10000 * std::pow(1.001, static_cast<double>(frames.size() % 4000));
    app.history.record(experiment, true);
    frames.push_back(milliseconds_of_frame(app, *gpu));
  }
  std::sort(frames.begin(), frames.end());
  state.SetLabel(std::string(view.id));
  state.counters["median_ms"] = frames[frames.size() / 2];
  state.counters["p99_ms"] = frames[std::min(frames.size() - 1, frames.size() * 99 / 100)];
}

}  // namespace

BENCHMARK(dragging_the_base)->DenseRange(0, 3)->Iterations(600)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace ropescope
