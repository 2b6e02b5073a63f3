// The lecturer's window: notes, the answer, what comes next, the clock.

#include <imgui.h>

#include "app/figure/number_text.h"
#include "app/figure/text_flow.h"
#include "app/lessons/handout.h"
#include "app/lessons/lesson_page.h"
#include "app/lessons/step.h"
#include "app/ui/app.h"
#include "app/ui/lesson_play.h"
#include "app/ui/style.h"

namespace ropescope::ui {

namespace {

constexpr double kLecturerPad = 24, kLecturerTitle = 26, kLecturerBody = 18, kClock = 34, kLecturerSpacing = 1.4;

/// Words one under the other from the top of the window.
class LecturerSheet {
 public:
  LecturerSheet(App& app, const Rect& room) : app_(app), room_(room), at_(room.top), measure_(screen_measure(app.ui)) {}

  void words(const std::vector<FlowWords>& words, double size, double gap) {
    const TextFlow flow = flow_text(words, {static_cast<double>(app_.ui.px(size)), room_.width, kLecturerSpacing},
                                    app_.text.formulas().get(), measure_);
    at_ += static_cast<double>(app_.ui.px(gap));
    Scene scene;
    add_flow(scene, flow, {room_.left, at_});
    draw_scene(ImGui::GetWindowDrawList(), app_.ui, scene);
    at_ += flow.height();
  }
  void text(const std::string& said, double size, double gap, Colour colour, FontWeight weight = FontWeight::regular) {
    if (!said.empty()) words({{said, weight, colour}}, size, gap);
  }

 private:
  App& app_;
  Rect room_;
  double at_;
  MeasureText measure_;
};

/// The step that follows in the room; null after the last one.
const LessonStep* step_after(const LessonPlay& play) {
  for (std::size_t i = play.step + 1; i < play.lesson.steps.size(); ++i) {
    if (!play.lesson.steps[i].reserve || play.with_reserve) return &play.lesson.steps[i];
  }
  return nullptr;
}

void draw_sheet_lecturer(App& app, const Rect& room) {
  const LessonPlay& play = *app.lesson;
  const LessonStep& step = play.lesson.steps[play.step];
  const Palette& colours = app.ui.palette;
  LecturerSheet sheet(app, room);
  sheet.text(
      time_spent(app) + "  ·  " + std::to_string(play.step + 1) + " / " + std::to_string(play.lesson.steps.size()),
      kClock, 0, colours.accent, FontWeight::semibold);
  sheet.text(filled(step.title, play.whole), kLecturerTitle, 6, colours.text, FontWeight::semibold);
  for (const LessonParagraph& note : step.notes)
    sheet.words(flow_words(note, play.whole, colours.text), kLecturerBody, 12);
  if (step.ask) {
    sheet.text(app.text["lesson.answer"], kLecturerBody, 20, colours.accent, FontWeight::semibold);
    sheet.text(answer_words(*step.ask, play.whole), kLecturerBody, 4, colours.text);
  }
  if (const LessonStep* next = step_after(play)) {
    sheet.text(app.text["lesson.next_step"], kLecturerBody, 20, colours.secondary, FontWeight::semibold);
    sheet.text(filled(next->title, play.whole), kLecturerBody, 2, colours.secondary);
  }
}

}  // namespace

void draw_lecturer(App& app, double width, double height) {
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(point(width, height));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::Begin("lecturer", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar(2);
  fill_rect({0, 0, width, height}, app.ui.palette.ground);
  const double pad = app.ui.px(kLecturerPad);
  if (app.lesson) draw_sheet_lecturer(app, {pad, pad, std::max(1.0, width - 2 * pad), height});
  ImGui::End();
}

}  // namespace ropescope::ui
