#include "app/commands/window.h"

#include <imgui.h>

#include <cmath>

#include "app/gpu/gpu.h"
#include "app/platform/picture_clipboard.h"
#include "app/platform/window.h"
#include "app/ui/app.h"
#include "app/ui/imgui_compat.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// Seconds between frames while nothing happens: a blinking caret and tooltips need some.
constexpr double kIdle = 0.25;
/// After an event ImGui needs a few frames until everything has settled.
constexpr int kFramesAfterEvent = 3;

/// Returns false where the program shall end.
bool carry_out(ui::App& app, Window& window, Gpu& gpu, float content_scale) {
  ui::Requests requests = std::exchange(app.requests, {});
  if (requests.clipboard_text) window.set_clipboard(*requests.clipboard_text);
  try {
    if (requests.clipboard_png) copy_picture_to_clipboard(*requests.clipboard_png);
  } catch (const InputError& error) {
    app.messages.push_back({error.what()});
  }
  if (requests.rebuild_fonts) {
    ui::apply_settings(app, content_scale);
    gpu.reload_fonts();
  }
  return !requests.quit;
}

bool any_input() {
  const ImGuiIO& io = ImGui::GetIO();
  return io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseWheel != 0 || ImGui::IsAnyMouseDown() ||
         ImGui::IsAnyItemActive() || io.InputQueueCharacters.Size > 0 || ui::any_key_down();
}

}  // namespace

int open_window(const WindowOptions& options) {
  Window window(1600, 1000, "ropescope");
  const std::unique_ptr<Gpu> gpu = make_gl_gpu(find_places().shaders);
  ui::App app(find_places(), Store::Mode::asynchronous);
  app.ui.gpu = gpu.get();
  ui::load_state(app);
  if (options.file) ui::open_path(app, *options.file);
  float content_scale = window.content_scale();
  ui::apply_settings(app, content_scale);
  gpu->reload_fonts();

  int frames = kFramesAfterEvent;
  std::string theme = app.settings.theme;
  bool goes_on = true;
  while (goes_on && !window.should_close()) {
    window.wait_events(frames > 0 || ui::wants_frame(app) ? 0 : kIdle);
    if (window.content_scale() != content_scale) {
      content_scale = window.content_scale();
      ui::apply_settings(app, content_scale);
      gpu->reload_fonts();
    }
    for (const std::string& path : window.take_dropped()) {
      ui::open_path(app, path);
      frames = kFramesAfterEvent;
    }
    if (theme != app.settings.theme) {
      theme = app.settings.theme;
      ui::apply_theme(app);
      frames = kFramesAfterEvent;
    }
    gpu->begin_frame();
    window.begin_frame();
    ImGui::NewFrame();
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    ui::draw_app(app, size.x, size.y);
    frames = any_input() ? kFramesAfterEvent : frames - 1;
    ImGui::Render();
    int width = 0, height = 0;
    window.framebuffer_size(width, height);
    gpu->draw(ImGui::GetDrawData(), app.ui.palette.ground, width, height);
    window.swap();
    goes_on = carry_out(app, window, *gpu, content_scale);
  }
  ui::save_state(app);
  return 0;
}

}  // namespace ropescope
