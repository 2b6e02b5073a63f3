// The main loop of the window: input by app/platform, frames by app/ui, drawing by app/gpu; the lecturer's window.
//
// Contents: The lecturer's window; The window.

#include "app/commands/commands.h"

#include <imgui.h>

#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "app/experiment/figure_file.h"
#include "app/gpu/gpu.h"
#include "app/platform/desktop.h"
#include "app/platform/window.h"
#include "app/resources/result_cache.h"
#include "app/resources/system.h"
#include "app/resources/text.h"
#include "app/ui/app.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/lesson/lesson_play.h"
#include "app/ui/lesson/presentation.h"
#include "app/ui/opening.h"
#include "app/ui/shell.h"
#include "app/ui/start.h"
#include "app/ui/state.h"
#include "core/message.h"

namespace ropescope {

// --- The lecturer's window -----------------------------------------------------------------------------------------

/// The lecturer's window while a lesson is in presentation mode, opened and closed on the app's request.
class LecturerWindow {
 public:
  LecturerWindow(ui::App& app, Window& first, Gpu& gpu) : app_(app), first_(first), gpu_(gpu) {}
  ~LecturerWindow();
  LecturerWindow(const LecturerWindow&) = delete;
  LecturerWindow& operator=(const LecturerWindow&) = delete;

  /// Draws it, once per frame of the main window, after that.
  void draw();
  /// Applies its keys to the lesson; returns whether there was one.
  bool react();

 private:
  void close();

  ui::App& app_;
  Window& first_;
  Gpu& gpu_;
  std::unique_ptr<SecondWindow> window_;
  ImGuiContext* context_ = nullptr;
  bool in_presentation_ = false;
};

LecturerWindow::~LecturerWindow() {
  close();
}

void LecturerWindow::close() {
  if (context_) ImGui::DestroyContext(std::exchange(context_, nullptr));
  window_.reset();
}

bool LecturerWindow::react() {
  if (!window_ || !app_.lesson) return false;
  bool acted = false;
  for (const int key : window_->take_keys()) {
    acted = true;
    switch (static_cast<ui::Key>(key)) {
      case ui::Key::page_down:
      case ui::Key::right:
      case ui::Key::space:
        ui::next_step(app_, 1);
        break;
      case ui::Key::page_up:
      case ui::Key::left:
        ui::next_step(app_, -1);
        break;
      case ui::Key::b:
        app_.lesson->black = !app_.lesson->black;
        break;
      case ui::Key::enter:
        ui::answer_question(app_);
        break;
      case ui::Key::n:
      case ui::Key::escape:
        app_.lesson->lecturer = false;
        break;
      default:
        break;
    }
  }
  return acted;
}

void LecturerWindow::draw() {
  const bool room = app_.lesson && app_.lesson->room;
  // If there is another screen, it opens automatically.
  if (room && !in_presentation_ && SecondWindow::screens() > 1) app_.lesson->lecturer = true;
  in_presentation_ = room;
  if (window_ && window_->should_close() && app_.lesson) app_.lesson->lecturer = false;
  const bool wanted = room && app_.lesson->lecturer;
  if (!wanted) return close();
  try {
    if (!window_) window_ = std::make_unique<SecondWindow>(first_, 1000, 800, app_.text["lesson.lecturer"]);
  } catch (const InputError& error) {
    app_.lesson->lecturer = false;
    app_.messages.push_back({app_.text.render(error.words())});
    return;
  }
  ImGuiContext* const main = ImGui::GetCurrentContext();
  if (!context_) context_ = ImGui::CreateContext(ImGui::GetIO().Fonts);
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.UserData = &app_.writing;
  int width = 0, height = 0, dots_across = 0, dots_down = 0;
  window_->size(width, height);
  window_->framebuffer_size(dots_across, dots_down);
  io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
  io.DeltaTime = 1.0f / 60;
  ImGui::NewFrame();
  ui::draw_lecturer(app_, width, height);
  ImGui::Render();
  ImDrawData* const drawn = ImGui::GetDrawData();
  // The backend belongs to the first context; buffers and textures are shared.
  ImGui::SetCurrentContext(main);
  window_->begin_drawing();
  gpu_.draw(drawn, app_.ui.palette.ground, dots_across, dots_down);
  window_->end_drawing();
}

// --- The window ----------------------------------------------------------------------------------------------------

namespace {

/// After an event ImGui needs a few frames to settle.
constexpr int kFramesAfterEvent = 3;
/// Time between frames that are not shown, for what they wait for.
constexpr std::chrono::milliseconds kHeldFrame{2};
/// Seconds between checks of the figures' input files; nothing is redrawn if they are unchanged.
constexpr double kLookAtFiles = 0.5;

/// Carries out the app's requests; returns false if the program should end.
bool carry_out(ui::App& app, Window& window, Gpu& gpu, float content_scale) {
  ui::Requests requests = std::exchange(app.requests, {});
  if (requests.clipboard_text) window.set_clipboard(*requests.clipboard_text);
  try {
    if (requests.clipboard_png) copy_picture_to_clipboard(*requests.clipboard_png);
    if (requests.clipboard_text || requests.clipboard_png) ui::say_copied(app);
  } catch (const InputError& error) {
    app.messages.push_back({app.text.render(error.words())});
  }
  if (requests.toggle_full_screen) window.toggle_full_screen();
  if (requests.full_screen) window.set_full_screen(*requests.full_screen);
  if (requests.rebuild_fonts) {
    ui::apply_settings(app, content_scale);
    gpu.reload_fonts();
  }
  return !requests.quit;
}

/// Waits between frames.
class Sleep {
 public:
  Sleep(const ui::App& app, Window& window) : app_(app), window_(window) {}

  /// Waits for an event, a worker's result or a timer. Returns true if frames are needed.
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

/// Sets what the command names, and opens its file or the start screen.
void begin_app(ui::App& app, const WindowOptions& options) {
  if (options.language) {
    app.settings.language = *options.language;
    ui::apply_language(app);
  }
  if (options.link) app.settings.link = *options.link;
  ui::start_fresh(app);
  if (options.file) {
    ui::open_path(app, to_path(*options.file));
  } else {
    ui::greet(app);
  }
}

/// Draws one frame; returns how many more are needed, given that `frames` were left.
int draw_frame(ui::App& app, Window& window, Gpu& gpu, int frames) {
  gpu.begin_frame();
  window.begin_frame();
  ImGui::NewFrame();
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ui::draw_app(app, size.x, size.y);
  const bool pressed = ImGui::IsAnyMouseDown() || ui::any_key_down();
  ImGui::Render();
  int width = 0, height = 0;
  window.framebuffer_size(width, height);
  if (app.holds_picture) {
    std::this_thread::sleep_for(kHeldFrame);
  } else {
    gpu.draw(ImGui::GetDrawData(), app.ui.palette.ground, width, height);
    window.swap();
  }
  return pressed || app.holds_picture ? kFramesAfterEvent : frames - 1;
}

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
  begin_app(app, options);
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
    frames = draw_frame(app, window, *gpu, frames);
    lecturer.draw();
    if (lecturer.react()) frames = kFramesAfterEvent;
    goes_on = carry_out(app, window, *gpu, content_scale);
  }
  window.on_lost_display({});
  ui::leave_lesson(app);
  ui::save_state(app);
  return 0;
}

}  // namespace ropescope
