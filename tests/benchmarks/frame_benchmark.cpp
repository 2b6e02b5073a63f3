// The interface's own work per frame: null graphics, the real store with its worker, the base dragged from frame to
// frame. Prints the median and the 99th percentile as counters; the goals are 2 ms and 8 ms. `drawn` includes the
// pixels: by the graphics card, or by software (LIBGL_ALWAYS_SOFTWARE=1), as tests/web/measure.py times the page.

#include <benchmark/benchmark.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "app/gpu/gpu.h"
#include "app/platform/context.h"
#include "app/ui/app.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/shell.h"

namespace ropescope {
namespace {

constexpr int kWidth = 1600, kHeight = 1000;

double milliseconds_of_frame(ui::App& app, Gpu& gpu, int width, int height, bool waits) {
  ImGui::GetIO().DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
  ImGui::GetIO().DeltaTime = 1.0f / 60;
  const auto begin = std::chrono::steady_clock::now();
  gpu.begin_frame();
  ImGui::NewFrame();
  ui::draw_app(app, static_cast<float>(width), static_cast<float>(height));
  ImGui::Render();
  gpu.draw(ImGui::GetDrawData(), app.ui.palette.ground, width, height);
  if (waits) gpu.read_pixels(1, 1);  // they are there, not only asked for
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

struct Window {
  ui::HeadlessImGui imgui{kWidth, kHeight};
  std::unique_ptr<Gpu> gpu;
  ui::App app{find_places(), Store::Mode::asynchronous};
  std::vector<double> frames;

  explicit Window(std::unique_ptr<Gpu> (*make)() = [] { return make_null_gpu(); }) : gpu(make()) {
    app.saving.allowed = false;
    app.ui.gpu = gpu.get();
    ui::apply_settings(app, 1);
    gpu->reload_fonts();
  }
  void frame(int width = kWidth, int height = kHeight, bool waits = false) {
    frames.push_back(milliseconds_of_frame(app, *gpu, width, height, waits));
  }
  void say(benchmark::State& state, const std::string& label) {
    std::sort(frames.begin(), frames.end());
    state.SetLabel(label);
    state.counters["triangles"] = ImGui::GetDrawData() ? ImGui::GetDrawData()->TotalIdxCount / 3 : 0;
    state.counters["median_ms"] = frames[frames.size() / 2];
    state.counters["p99_ms"] = frames[std::min(frames.size() - 1, frames.size() * 99 / 100)];
  }
};

/// One view; the base goes up by a part in a thousand in every frame, as under a dragged slider.
void dragging_the_base(benchmark::State& state) {
  const View& view = *all_views()[static_cast<std::size_t>(state.range(0))];
  Window window;
  Experiment experiment;
  experiment.view = view.id;
  experiment.decay.span = 131072;
  for (auto _ : state) {
    experiment.rope.base = 10000 * std::pow(1.001, static_cast<double>(window.frames.size() % 4000));
    window.app.history.record(experiment, true);
    window.frame();
  }
  window.say(state, std::string(view.id));
}

/// The rotation plays, with 128 clocks beside the plane; then its other pictures.
void playing(benchmark::State& state) {
  constexpr RotationShow kPictures[] = {RotationShow::turn, RotationShow::helix, RotationShow::forms,
                                        RotationShow::pairing};
  Window window;
  Experiment experiment;
  experiment.view = "rotation";
  experiment.rope.rotary_dim = experiment.rope.head_dim = 256;
  experiment.rotation.show = kPictures[state.range(0)];
  experiment.rotation.playing = true;
  window.app.history.record(experiment, false);
  for (auto _ : state) window.frame();
  window.say(state, word_of(kPictures[state.range(0)]));
}

/// The mouse goes over a view at 1280×720, whose pixels are drawn and waited for.
void drawn(benchmark::State& state) {
  constexpr int kPageWidth = 1280, kPageHeight = 720;
  const View& view = *all_views()[static_cast<std::size_t>(state.range(0))];
  std::optional<OffscreenContext> context;
  try {
    context.emplace(kPageWidth, kPageHeight);
  } catch (const InputError& error) {
    return state.SkipWithError(error.what());
  }
  Window window([] { return make_gl_gpu(find_places().shaders); });
  Experiment experiment;
  experiment.view = view.id;
  window.app.history.record(experiment, false);
  do {
    window.frame(kPageWidth, kPageHeight, true);
    window.app.store.wait();
  } while (window.app.result.stale);
  window.frames.clear();
  for (auto _ : state) {
    const auto step = static_cast<float>(window.frames.size() % 60);
    ui::send_mouse_position(400 + 5 * step, 300 + step);
    window.frame(kPageWidth, kPageHeight, true);
  }
  window.say(state, std::string(view.id));
}

void every_view(benchmark::internal::Benchmark* benchmark) {
  benchmark->DenseRange(0, static_cast<std::int64_t>(all_views().size()) - 1);
}

}  // namespace

BENCHMARK(dragging_the_base)->Apply(every_view)->Iterations(600)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(drawn)->Apply(every_view)->Iterations(120)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(playing)->DenseRange(0, 3)->Iterations(600)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace ropescope
