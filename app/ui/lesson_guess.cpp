// A guess that is drawn over a covered curve, and the truth that grows over it.

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/lessons/step.h"
#include "app/ui/app.h"
#include "app/ui/lesson_play.h"

namespace ropescope::ui {

namespace {

constexpr double kLessonGuessWidth = 2;

const LessonAsk* drawing(const App& app) {
  if (!app.lesson) return nullptr;
  const std::optional<LessonAsk>& ask = app.lesson->lesson.steps[app.lesson->step].ask;
  return ask && ask->kind == LessonAsk::Kind::draw ? &*ask : nullptr;
}

/// The first part of a line, as far as it has grown.
Line grown_line(const Line& line, double share) {
  if (share >= 1 || !line.series || line.series->ys.empty()) return line;
  const Series& series = *line.series;
  const auto count = static_cast<std::size_t>(std::ceil(share * static_cast<double>(series.ys.size())));
  const std::size_t shown = std::clamp<std::size_t>(count, 1, series.ys.size());
  Line part = line;
  std::vector<double> ys(series.ys.begin(), series.ys.begin() + static_cast<std::ptrdiff_t>(shown));
  if (series.xs.empty()) {
    part.series = make_series(series.first_x, series.step, std::move(ys));
  } else {
    part.series =
        make_series({series.xs.begin(), series.xs.begin() + static_cast<std::ptrdiff_t>(shown)}, std::move(ys));
  }
  return part;
}

/// Puts a point into the guess, over what was drawn there before: it stays a function of x.
void add_point(LessonAnswer& answer, double last, double x, double y) {
  const double low = std::min(last, x), high = std::max(last, x);
  for (std::size_t i = answer.xs.size(); i-- > 0;) {
    if (answer.xs[i] < low || answer.xs[i] > high) continue;
    const bool kept = answer.xs[i] == last && last != x;
    if (kept) continue;
    answer.xs.erase(answer.xs.begin() + static_cast<std::ptrdiff_t>(i));
    answer.ys.erase(answer.ys.begin() + static_cast<std::ptrdiff_t>(i));
  }
  const auto place = std::lower_bound(answer.xs.begin(), answer.xs.end(), x);
  answer.ys.insert(answer.ys.begin() + (place - answer.xs.begin()), y);
  answer.xs.insert(place, x);
}

}  // namespace

bool has_guess(const App& app) {
  return drawing(app) != nullptr && (question_is_open(app) || !app.lesson->answer.xs.empty());
}

std::vector<Panel> with_guess(std::vector<Panel> panels, const LessonPlay& play) {
  const std::optional<LessonAsk>& ask = play.lesson.steps[play.step].ask;
  if (!ask || ask->kind != LessonAsk::Kind::draw) return panels;
  for (Panel& panel : panels) {
    Figure& figure = panel.figure;
    if (figure.name != ask->figure) continue;
    for (Line& line : figure.lines) {
      if (play.answer.given && line.key == ask->curve) line = grown_line(line, play.answer.since / kGuessGrows);
    }
    if (play.answer.xs.size() > 1) {
      figure.paths.push_back({"guess", {1, false}, Role::curve, play.answer.xs, play.answer.ys, kLessonGuessWidth});
    }
  }
  return panels;
}

bool react_to_guess(App& app, const Figure& figure, const FigureLayout& layout) {
  const LessonAsk* ask = drawing(app);
  if (!ask || !question_is_open(app) || figure.name != ask->figure) return false;
  LessonAnswer& answer = app.lesson->answer;
  const ImVec2 at = ImGui::GetIO().MousePos;
  const Vec2 mouse{at.x, at.y};
  if (!ImGui::GetIO().MouseDown[0]) answer.drawing = false;
  const bool begins =
      ImGui::IsItemHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Left) && layout.plot.contains(mouse);
  if (!begins && !answer.drawing) return true;
  const double x = layout.x.to_value(std::clamp(mouse.x, layout.plot.left, layout.plot.right()));
  const double y = layout.y.to_value(std::clamp(mouse.y, layout.plot.top, layout.plot.bottom()));
  add_point(answer, begins ? x : answer.last, x, y);
  answer.last = x;
  answer.drawing = true;
  return true;
}

}  // namespace ropescope::ui
