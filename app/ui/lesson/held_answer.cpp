// The student's answer as a letter that fills the screen, to be counted in the room. Declared in lesson_play.h.

#include <imgui.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>

#include "app/ui/app.h"
#include "app/ui/drawing/screen.h"
#include "app/ui/drawing/style.h"
#include "app/ui/lesson/lesson_play.h"
#include "app/ui/widgets.h"

namespace ropescope::ui {

namespace {

/// A point of a letter in a square of side 1; `starts` a new stroke.
struct LetterPoint {
  float x = 0, y = 0;
  bool starts = false;
};
// The atlas has no letters as large as a phone.
constexpr LetterPoint kA[] = {{0, 1, true}, {0.5f, 0}, {1, 1}, {0.2f, 0.64f, true}, {0.8f, 0.64f}};
constexpr LetterPoint kB[] = {{0, 0, true},   {0, 1},        {0.7f, 1},  {0.95f, 0.88f},
                              {0.95f, 0.6f},  {0.7f, 0.48f}, {0, 0.48f}, {0.7f, 0.48f, true},
                              {0.88f, 0.38f}, {0.88f, 0.1f}, {0.66f, 0}, {0, 0}};
constexpr LetterPoint kC[] = {{1, 0.14f, true}, {0.75f, 0}, {0.3f, 0},  {0, 0.25f},
                              {0, 0.75f},       {0.3f, 1},  {0.75f, 1}, {1, 0.86f}};
constexpr LetterPoint kD[] = {{0, 0, true}, {0, 1}, {0.55f, 1}, {1, 0.72f}, {1, 0.28f}, {0.55f, 0}, {0, 0}};
constexpr LetterPoint kE[] = {{1, 0, true}, {0, 0}, {0, 1}, {1, 1}, {0, 0.48f, true}, {0.8f, 0.48f}};
constexpr LetterPoint kF[] = {{1, 0, true}, {0, 0}, {0, 1}, {0, 0.48f, true}, {0.8f, 0.48f}};
constexpr std::span<const LetterPoint> kLetters[] = {kA, kB, kC, kD, kE, kF};
/// The grounds of the letters (Okabe–Ito, and white), the same in both themes: black is readable on each.
constexpr Colour kLetterGrounds[] = {{86, 180, 233, 255}, {230, 159, 0, 255},   {0, 158, 115, 255},
                                     {240, 228, 66, 255}, {204, 121, 167, 255}, {255, 255, 255, 255}};
static_assert(std::size(kLetterGrounds) == std::size(kLetters));

void draw_letter(std::size_t choice, const Rect& rect) {
  const auto width = static_cast<float>(0.15 * rect.height);
  ImDrawList* const list = ImGui::GetWindowDrawList();
  ImVec2 before;
  for (const LetterPoint& each : kLetters[std::min(choice, std::size(kLetters) - 1)]) {
    const ImVec2 at = point(rect.left + static_cast<double>(each.x) * rect.width,
                            rect.top + static_cast<double>(each.y) * rect.height);
    list->AddCircleFilled(at, width / 2, IM_COL32_BLACK, 48);
    if (!each.starts) list->AddLine(before, at, IM_COL32_BLACK, width);
    before = at;
  }
}

}  // namespace

std::string letter_of(std::size_t choice) {
  return std::string(1, static_cast<char>('A' + std::min<std::size_t>(choice, 25)));
}

bool can_hold_up(const LessonPlay& play) {
  const std::optional<LessonAsk>& ask = play.lesson.steps[play.step].ask;
  return ask && ask->kind == LessonAsk::Kind::choice && ask->choices.size() <= std::size(kLetters) &&
         play.answer.given && !play.answer.skipped;
}

void draw_held_answer(App& app, const Rect& screen) {
  if (!app.lesson || !app.lesson->answer.held_up) return;
  Ui& ui = app.ui;
  LessonAnswer& answer = app.lesson->answer;
  ImGui::SetNextWindowPos(top_left(screen));
  ImGui::SetNextWindowSize(point(screen.width, screen.height));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::Begin("held_up", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar(2);
  // The colour is visible from the last row; the letter does not depend on colour vision.
  fill_rect(screen, kLetterGrounds[std::min(answer.choice, std::size(kLetterGrounds) - 1)]);
  const double side = 0.62 * std::min(screen.width, screen.height);
  draw_letter(answer.choice, {screen.left + (screen.width - 0.7 * side) / 2, screen.top + (screen.height - side) / 2,
                              0.7 * side, side});
  draw_line_within({ui.fonts.body, {0, 0, 0, 255}, screen.left, screen.bottom() - static_cast<double>(ui.px(28))},
                   screen.width, 0.5, app.text["lesson.hold_up_end"]);
  if (press_area(ui, "lesson.held_up", screen).clicked) answer.held_up = false;
  ImGui::End();
}

}  // namespace ropescope::ui
