#include "app/commands/lecturer_window.h"

#include "app/ui/imgui_compat.h"
#include "core/error.h"

namespace ropescope {

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
  // Where there is another screen, it opens by itself.
  if (room && !in_room_ && SecondWindow::screens() > 1) app_.lesson->lecturer = true;
  in_room_ = room;
  if (window_ && window_->should_close() && app_.lesson) app_.lesson->lecturer = false;
  const bool wanted = room && app_.lesson->lecturer;
  if (!wanted) return close();
  try {
    if (!window_) window_ = std::make_unique<SecondWindow>(first_, 1000, 800, app_.text["lesson.lecturer"]);
  } catch (const InputError& error) {
    app_.lesson->lecturer = false;
    app_.messages.push_back({app_.text.say(error.words())});
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

}  // namespace ropescope
