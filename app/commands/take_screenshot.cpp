#include <imgui.h>

#include <utility>

#include "app/commands/screenshot.h"
#include "app/figure/picture.h"
#include "app/gpu/gpu.h"
#include "app/platform/offscreen.h"
#include "app/ui/app.h"

namespace ropescope {

namespace {

/// Widths measured in one frame are used in the next, and a scroll bar needs one more.
constexpr int kFrames = 4;
/// Of the time, about: until all frames are laid out, and until they are drawn.
constexpr double kShareOfFrames = 0.3, kShareOfDrawing = 0.5;

struct ImGuiContextOwner {
  ImGuiContextOwner() { ImGui::CreateContext(); }
  ~ImGuiContextOwner() { ImGui::DestroyContext(); }
  ImGuiContextOwner(const ImGuiContextOwner&) = delete;
  ImGuiContextOwner& operator=(const ImGuiContextOwner&) = delete;
};

}  // namespace

std::string take_screenshot(const ScreenshotOptions& options) {
  const OffscreenContext context(options.width, options.height);
  const ImGuiContextOwner imgui;
  ImGui::GetIO().IniFilename = nullptr;
  Places places = find_places();
  const std::unique_ptr<Gpu> gpu = make_gl_gpu(places.shaders);
  ui::App app(places, Store::Mode::synchronous, options.threads);
  app.ui.gpu = gpu.get();
  app.settings.theme = options.theme;
  app.settings.language = options.language;
  ui::apply_language(app);
  app.settings.text_scale = options.text_scale;
  app.history = History(options.experiment);
  app.saving.allowed = false;
  ui::apply_settings(app, 1);
  gpu->reload_fonts();
  const auto tell = [&options](double fraction, const char* step) {
    if (options.progress) options.progress(fraction, step);
  };
  for (int frame = 0; frame < kFrames; ++frame) {
    tell(kShareOfFrames * frame / kFrames, "computing");
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(options.width), static_cast<float>(options.height)};
    io.DeltaTime = 1.0f / 60;
    gpu->begin_frame();
    ImGui::NewFrame();
    ui::draw_app(app, options.width, options.height);
    ImGui::Render();
    if (std::exchange(app.requests.rebuild_fonts, false) && frame + 1 < kFrames) {
      ui::apply_settings(app, 1);
      gpu->reload_fonts();
    }
  }
  tell(kShareOfFrames, "drawing");
  // The frames before it were for their measures alone.
  gpu->draw(ImGui::GetDrawData(), app.ui.palette.ground, options.width, options.height);
  std::vector<std::uint8_t> pixels = gpu->read_pixels(options.width, options.height);
  tell(kShareOfDrawing, "writing the picture");
  return encode_png(std::move(pixels), options.width, options.height);
}

}  // namespace ropescope
