#include "app/commands/window.h"

#include <imgui.h>

#include <cmath>
#include <utility>

#include "app/commands/interrupt.h"
#include "app/commands/lecturer_window.h"
#include "app/gpu/gpu.h"
#include "app/platform/picture_clipboard.h"
#include "app/platform/window.h"
#include "app/resources/idle_memory.h"
#include "app/resources/language.h"
#include "app/resources/session.h"
#include "app/resources/system.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/opening.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// After an event ImGui needs a few frames until everything has settled.
constexpr int kFramesAfterEvent = 3;
/// Seconds between looks at the files that the figures were made of; nothing is drawn where they are the same.
constexpr double kLookAtFiles = 0.5;

/// Returns false where the program shall end.
bool carry_out(ui::App& app, Window& window, Gpu& gpu, float content_scale) {
  ui::Requests requests = std::exchange(app.requests, {});
  if (requests.clipboard_text) window.set_clipboard(*requests.clipboard_text);
  try {
    if (requests.clipboard_png) copy_picture_to_clipboard(*requests.clipboard_png);
  } catch (const InputError& error) {
    app.messages.push_back({app.text.say(error.words())});
  }
  if (requests.toggle_full_screen) window.toggle_full_screen();
  if (requests.full_screen) window.set_full_screen(*requests.full_screen);
  if (requests.rebuild_fonts) {
    ui::apply_settings(app, content_scale);
    gpu.reload_fonts();
  }
  return !requests.quit;
}

/// Sleeps between frames.
class Sleep {
 public:
  Sleep(const ui::App& app, Window& window) : app_(app), window_(window) {}

  /// Until an event, a worker's result or a timer. True: something came that wants frames.
  bool until_something(int frames) {
    if (frames > 0) return window_.wait_events(0), false;
    double left = ui::seconds_to_frame(app_);
    const bool looks = app_.result_of && find_view(app_.result_of->view).files;
    while ((looks || memory_.holds(app_.store.started())) && left > kLookAtFiles) {
      if (waits(kLookAtFiles)) return true;
      if (looks && ui::files_changed(app_)) return true;
      left -= kLookAtFiles;
    }
    return waits(left);
  }

 private:
  bool waits(double seconds) {
    const bool something = window_.wait_events(seconds);
    if (memory_.rest(seconds, something, app_.store.started(), app_.store.busy())) os::give_back_memory();
    return something;
  }

  const ui::App& app_;
  Window& window_;
  IdleMemory memory_;
};

}  // namespace

int open_window(const WindowOptions& options) {
  if (options.language) parse_language(*options.language, find_places().assets);
  const StopOnSignals signals({StopRequest::terminate, StopRequest::hang_up, StopRequest::interrupt},
                              [] { Window::wake(); });
  ui::check_allocations();
  Window window(1600, 1000, "ropescope");
  const std::unique_ptr<Gpu> gpu = make_gl_gpu(find_places().shaders);
  const Session session(find_places().state);
  ui::App app(find_places(), Store::Mode::asynchronous);
  app.ui.gpu = gpu.get();
  app.store.on_finished([] { Window::wake(); });
  ui::load_state(app, session.earlier_crashed());
  window.on_lost_display([&app] { ui::save_state(app); });
  if (options.language) {
    app.settings.language = *options.language;
    ui::apply_language(app);
  }
  if (options.file) ui::open_path(app, *options.file);
  float content_scale = window.content_scale();
  ui::apply_settings(app, content_scale);
  gpu->reload_fonts();

  Sleep sleep(app, window);
  LecturerWindow lecturer(app, window, *gpu);
  int frames = kFramesAfterEvent;
  std::string theme = app.settings.theme;
  bool goes_on = true;
  while (goes_on && !window.should_close() && !signals.token().stop_requested()) {
    if (sleep.until_something(frames)) frames = kFramesAfterEvent;
    if (window.content_scale() != content_scale) {
      content_scale = window.content_scale();
      ui::apply_settings(app, content_scale);
      gpu->reload_fonts();
    }
    ui::open_paths(app, window.take_dropped());
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
    frames = ImGui::IsAnyMouseDown() || ui::any_key_down() ? kFramesAfterEvent : frames - 1;
    ImGui::Render();
    int width = 0, height = 0;
    window.framebuffer_size(width, height);
    gpu->draw(ImGui::GetDrawData(), app.ui.palette.ground, width, height);
    window.swap();
    lecturer.draw();
    if (lecturer.react()) frames = kFramesAfterEvent;
    goes_on = carry_out(app, window, *gpu, content_scale);
  }
  window.on_lost_display({});
  ui::save_state(app);
  return 0;
}

}  // namespace ropescope
