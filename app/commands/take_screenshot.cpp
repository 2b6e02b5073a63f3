#include <imgui.h>

#include <utility>

#include "app/commands/screenshot.h"
#include "app/figure/picture.h"
#include "app/gpu/gpu.h"
#include "app/platform/offscreen.h"
#include "app/resources/nearest.h"
#include "app/ui/app.h"
#include "app/ui/imgui_compat.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

/// Widths measured in one frame are used in the next, and a scroll bar needs one more.
constexpr int kTakeScreenshotFrames = 5;
constexpr int kRoomFrames = 24;  ///< until words have found their parts
/// Of the time, about: until all frames are laid out, and until they are drawn.
constexpr double kShareOfFrames = 0.3, kTakeScreenshotShareOfDrawing = 0.5;

struct ImGuiContextOwner {
  ImGuiContextOwner() { ImGui::CreateContext(); }
  ~ImGuiContextOwner() { ImGui::DestroyContext(); }
  ImGuiContextOwner(const ImGuiContextOwner&) = delete;
  ImGuiContextOwner& operator=(const ImGuiContextOwner&) = delete;
};

/// Throws InputError where there is no such lesson or step.
void show_lesson(ui::App& app, const ScreenshotOptions& options) {
  const Lesson lesson = load_lesson(app.places.assets, options.lesson, app.text.language());
  if (!options.step.empty() && !find_step(lesson, options.step)) {
    throw InputError("--step is " + in_quotes(options.step) + "; a step of " + lesson.file + " was expected");
  }
  if (lesson.steps.empty()) throw InputError(lesson.file + " has no step");
  ui::open_lesson(app, options.lesson, options.step.empty() ? lesson.steps.front().name : options.step);
  if (options.room) ui::toggle_room(app);
}

}  // namespace

std::string take_screenshot(const ScreenshotOptions& options) {
  ui::check_allocations();
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
  app.settings.motion = false;
  if (!options.lesson.empty()) show_lesson(app, options);
  ui::apply_settings(app, 1);
  gpu->reload_fonts();
  const auto tell = [&options](double fraction, const char* step) {
    if (options.progress) options.progress(fraction, step);
  };
  const int frames = options.room ? kRoomFrames : kTakeScreenshotFrames;
  for (int frame = 0; frame < frames; ++frame) {
    tell(kShareOfFrames * frame / frames, "computing");
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(options.width), static_cast<float>(options.height)};
    io.DeltaTime = 1.0f / 60;
    gpu->begin_frame();
    ImGui::NewFrame();
    ui::draw_app(app, options.width, options.height);
    ImGui::Render();
    if (std::exchange(app.requests.rebuild_fonts, false) && frame + 1 < frames) {
      ui::apply_settings(app, 1);
      gpu->reload_fonts();
    }
  }
  tell(kShareOfFrames, "drawing");
  // The frames before it were for their measures alone.
  gpu->draw(ImGui::GetDrawData(), app.ui.palette.ground, options.width, options.height);
  std::vector<std::uint8_t> pixels = gpu->read_pixels(options.width, options.height);
  tell(kTakeScreenshotShareOfDrawing, "writing the picture");
  return encode_png(std::move(pixels), options.width, options.height);
}

}  // namespace ropescope
