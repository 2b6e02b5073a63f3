// The agenda of presentation mode: the steps of a lesson, the present one, and jumps. Declared in lesson_play.h.

#include <imgui.h>

#include <algorithm>

#include "app/lessons/lesson.h"
#include "app/ui/app.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/drawing/screen.h"
#include "app/ui/drawing/style.h"
#include "app/ui/lesson/lesson_play.h"
#include "app/ui/widgets.h"

namespace ropescope::ui {

namespace {

constexpr double kAgendaRow = 30, kAgendaWidth = 560, kAgendaPad = 16;

void jump_from_agenda(App& app, std::size_t step) {
  app.lesson->agenda.reset();
  go_to_step(app, step);
}

}  // namespace

bool handle_agenda_keys(App& app) {
  LessonPlay& play = *app.lesson;
  keep_focus_here();
  hide_focus();
  const std::size_t last = play.lesson.steps.size() - 1;
  std::size_t& chosen = *play.agenda;
  if (key_pressed(Key::down) || key_pressed(Key::right) || key_pressed(Key::page_down)) {
    chosen = std::min(chosen + 1, last);
  } else if (key_pressed(Key::up) || key_pressed(Key::left) || key_pressed(Key::page_up)) {
    chosen -= chosen > 0 ? 1 : 0;
  } else if (key_pressed(Key::home, false)) {
    chosen = 0;
  } else if (key_pressed(Key::end, false)) {
    chosen = last;
  } else if (key_pressed(Key::enter, false)) {
    jump_from_agenda(app, chosen);
  } else if (key_pressed(Key::a, false) || key_pressed(Key::escape, false)) {
    play.agenda.reset();
  }
  return true;
}

void draw_agenda(App& app, const Rect& screen) {
  if (!app.lesson || !app.lesson->agenda) return;
  if (!app.lesson->room) return app.lesson->agenda.reset();
  Ui& ui = app.ui;
  const LessonPlay& play = *app.lesson;
  const std::vector<LessonStep>& steps = play.lesson.steps;
  const double pad = ui.px(kAgendaPad), row = ui.px(kAgendaRow), gap = ui.px(8);
  // A long lecture shows the steps around the selected one.
  const auto fitting = static_cast<std::size_t>(std::max(1.0, (screen.height - 4 * pad) / row - 1));
  const std::size_t count = std::min(fitting, steps.size());
  const std::size_t first = std::min(*play.agenda > count / 2 ? *play.agenda - count / 2 : 0, steps.size() - count);
  const double width = std::min<double>(ui.px(kAgendaWidth), screen.width - 2 * pad),
               height = row * (static_cast<double>(count) + 1) + 2 * pad;
  const Rect sheet{screen.left + (screen.width - width) / 2, screen.top + (screen.height - height) / 2, width, height};
  ImGui::SetNextWindowPos(top_left(sheet));
  ImGui::SetNextWindowSize(point(sheet.width, sheet.height));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::Begin("agenda", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::PopStyleVar(2);
  fill_rect(sheet, ui.palette.panel, ui.px(8));
  outline_rect(ui, sheet, ui.palette.line, ui.px(8));
  double top = sheet.top + pad;
  const double inside = width - 2 * pad;
  draw_line_within({ui.fonts.semibold, ui.palette.text, sheet.left + pad, top + row / 2}, 0.66 * inside, 0,
                   numbered_title(play.lesson.id, play.lesson.title));
  draw_line_within({ui.fonts.small, ui.palette.secondary, sheet.left + pad + 0.68 * inside, top + row / 2},
                   0.32 * inside, 1, time_spent(app));
  std::optional<std::size_t> chosen;
  for (std::size_t i = first; i < first + count; ++i) {
    top += row;
    const Rect line{sheet.left + pad, top, inside, row};
    const Press press = press_area(ui, "agenda." + steps[i].name, line, 5);
    const bool selected = i == *play.agenda, here = i == play.step;
    if (selected || press.hovered) fill_rect(line, with_alpha(ui.palette.accent, 0.16), ui.px(5));
    const Colour colour = here ? ui.palette.accent : steps[i].reserve ? ui.palette.secondary : ui.palette.text;
    const double number = ui.px(30);
    draw_line_within({ui.fonts.body, colour, line.left + gap, top + row / 2}, number - gap, 0,
                     here ? "▸" : std::to_string(i + 1));
    const std::string title = filled(steps[i].title, play.whole);
    draw_line_within({here ? ui.fonts.semibold : ui.fonts.body, colour, line.left + number + gap, top + row / 2},
                     inside - number - 2 * gap, 0,
                     steps[i].reserve ? title + "  (" + app.text["lesson.reserve"] + ")" : title);
    if (press.clicked) chosen = i;
  }
  ImGui::End();
  app.record.add("lesson.agenda", sheet);
  if (chosen) jump_from_agenda(app, *chosen);
}

}  // namespace ropescope::ui
