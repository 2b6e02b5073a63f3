#include "app/ui/shell.h"
#include "app/ui/plot_range.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/ui/file_job.h"
#include "app/ui/frame_areas.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/plot_range.h"
#include "app/ui/style.h"

namespace ropescope::ui {

namespace {

// Measures at 100 %.
constexpr double kShellPadding = 16, kTightPadding = 8, kShellGap = 12, kChips = 30;
constexpr double kProgress = 2;
constexpr double kHeightForPadding = 420;  ///< below it the figures go nearer to the edges

void hairline(double x0, double y0, double x1, double y1, Colour colour) {
  ImGui::GetWindowDrawList()->AddLine(point(x0 + 0.5, y0 + 0.5), point(x1 + 0.5, y1 + 0.5), colour32(colour), 1);
}

void place(double x, double y) {
  ImGui::SetCursorScreenPos(point(x, y));
}

}  // namespace

void draw_view_items(App& app, Experiment& edited) {
  Ui& ui = app.ui;
  std::string_view group;
  int number = 0;
  if (list_item(ui, "lessons", (*ui.text)["lesson.list"], {}, false)) app.lessons_listed = true;
  for (const View* view : all_views()) {
    if (view->group != group) {
      group = view->group;
      ImGui::Indent(ui.px(9));
      group_label(ui, (*ui.text)["view_group." + std::string(group)]);
      ImGui::Unindent(ui.px(9));
    }
    const std::string id(view->id);
    const std::string shortcut = ++number <= 10 ? std::to_string(number % 10) : std::string();
    if (list_item(ui, "view." + id, (*ui.text)["view." + id + ".name"], shortcut, edited.view == id)) edited.view = id;
    // A list that is longer than its room shows where one is.
    const float top = ImGui::GetWindowPos().y, bottom = top + ImGui::GetWindowHeight();
    const bool hidden = ImGui::GetItemRectMin().y < top || ImGui::GetItemRectMax().y > bottom;
    const std::string shown = id + " " + std::to_string(app.settings.text_scale);
    if (edited.view == id && std::exchange(app.listed_view, shown) != shown && hidden) ImGui::SetScrollHereY(0.5f);
  }
}

void draw_view_list(App& app, const Rect& rect, Experiment& edited) {
  Ui& ui = app.ui;
  fill_rect(rect, ui.palette.panel);
  hairline(rect.right() - 1, rect.top, rect.right() - 1, rect.bottom(), ui.palette.line);
  place(rect.left, rect.top);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(10), ui.px(14)});
  begin_padded_child("views", point(rect.width, rect.height));
  draw_view_items(app, edited);
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

void draw_status(App& app, const Rect& rect) {
  const Ui& ui = app.ui;
  fill_rect(rect, ui.palette.panel);
  hairline(rect.left, rect.top, rect.right(), rect.top, ui.palette.line);
  if (app.result.stale && !app.stopped && app.result.progress) {
    const Rect bar{rect.left, rect.top, rect.width * *app.result.progress, static_cast<double>(ui.px(kProgress))};
    fill_rect(bar, ui.palette.accent);
    app.record.add("shell.progress", bar);
  }
  std::string status = app.result.status;
  if (app.file_job) {
    const std::string percent = std::to_string(static_cast<int>(100 * app.file_job->progress()));
    status = app.text.format("shell.saving", {{"path", app.file_job->path()}, {"percent", percent}});
  }
  const double centre = rect.top + rect.height / 2, left = rect.left + ui.px(kShellPadding);
  const double half = rect.width / 2 - ui.px(2 * kShellPadding);
  draw_line_within({ui.fonts.small, ui.palette.secondary, left, centre}, std::max(0.0, half), 0, status);
  const std::string& hint = (*ui.text)["shell.hint"];
  const double width = text_width(ui.fonts.small, hint);
  if (width > rect.width / 2) return;
  draw_line({ui.fonts.small, ui.palette.secondary, rect.right() - ui.px(kShellPadding) - width, centre}, hint);
}

namespace {

void draw_figures(App& app, const Rect& area, Experiment& edited) {
  const Ui& ui = app.ui;
  const double pad = ui.px(area.height < ui.px(kHeightForPadding) ? kTightPadding : kShellPadding),
               gap = ui.px(kShellGap);
  Rect rest{area.left + pad, area.top + pad, area.width - 2 * pad, area.height - 2 * pad};
  const auto take_top = [&rest](double height) {
    rest.top += height;
    rest.height -= height;
  };
  take_top(draw_messages(app, rest));
  if (app.pen.on) take_top(draw_pen_bar(app, rest));
  const View& view = find_view(edited.view);
  Rect row{rest.left, rest.top, rest.width, ui.px(kChips)};
  const bool plays = player_of(edited) != nullptr;
  if (plays) row.width = draw_player(app, row, edited) - gap - row.left;
  const bool room = app.lesson && app.lesson->room;
  if (view.compares_ropes && !app.figure_alone && !room) {
    take_top(draw_chips(app, {row.left, row.top, row.width, rest.height}, edited) + gap);
  } else if (plays) {
    take_top(row.height + gap);
  }
  const CardsPlace cards = cards_place(app, rest);
  const double plots = std::max(1.0, rest.height - (cards.height > 0 ? cards.height + gap : 0));
  draw_plots(app, {rest.left, rest.top, rest.width, plots}, edited);
  if (cards.height > 0) draw_cards(app, {rest.left, rest.top + plots + gap, rest.width, cards.height}, cards, edited);
  draw_card_sheet(app, area, edited);
  draw_whole_card(app, area, edited);
}

/// In a window of its own, so that a drawer lies over the figures.
void draw_controls(App& app, const Areas& areas, Experiment& edited) {
  if (app.figure_alone || areas.controls.width <= 0) return;
  Ui& ui = app.ui;
  place(areas.controls.left, areas.controls.top);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::BeginChild("controls", point(areas.controls.width, areas.controls.height));
  ImGui::PopStyleVar();
  fill_rect(areas.controls, ui.palette.panel);
  hairline(areas.controls.right() - 1, areas.controls.top, areas.controls.right() - 1, areas.controls.bottom(),
           ui.palette.line);
  if (areas.show_controls) draw_knobs(app, areas.controls, edited);
  // Over the panel's upper right corner; folded, it is all that is left.
  const std::string label = areas.show_controls ? "‹" : "›";
  place(areas.controls.right() - ui.px(26), areas.controls.top + ui.px(8));
  if (fold_button(ui, "shell.fold", label, (*ui.text)["shell.tip.fold"])) app.fold_requested = true;
  ImGui::EndChild();
}

/// A range of values means nothing for their differences and ratios, nor theirs for these.
void forget_values(const App& app, Experiment& edited) {
  if (edited.curves.shown_as == app.history.current().curves.shown_as) return;
  for (const Panel& panel : app.result.panels) clear_axis_range(edited, panel.figure.y);
}

}  // namespace

void draw_app(App& app, double width, double height) {
  app.record.clear();
  const Areas areas = areas_of(app, width, height);
  app.animated = false;
  watch_file_job(app);
  play(app, static_cast<double>(ImGui::GetIO().DeltaTime));
  play_sweep(app, static_cast<double>(ImGui::GetIO().DeltaTime));
  play_lesson(app, static_cast<double>(ImGui::GetIO().DeltaTime));
  follow_room(app, height);
  Experiment edited = app.history.current();
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(point(width, height));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::Begin("ropescope", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar(3);
  fill_rect({0, 0, width, height}, app.ui.palette.ground);
  handle_keys(app, edited);
  if (areas.show_top) draw_top_bar(app, areas.top, !areas.show_list, edited);
  if (areas.show_list && shows_lesson_panel(app)) {
    draw_lesson_panel(app, areas.list, edited);
  } else if (areas.show_list) {
    draw_view_list(app, areas.list, edited);
  }
  draw_controls(app, areas, edited);
  // Controls first: what they change is seen in the same frame.
  clamp(edited);
  forget_values(app, edited);
  refresh_figures(app, edited);
  draw_figures(app, areas.figures, edited);
  if (std::exchange(app.fold_requested, false)) {
    bool& open = controls_open(app, areas);
    open = !open;
  }
  if (areas.show_status) draw_status(app, areas.status);
  draw_lesson_light(app);
  draw_dialogs(app, {0, 0, width, height}, edited);
  draw_black(app, {0, 0, width, height});
  draw_pointer_mark(app, {0, 0, width, height});
  ImGui::End();
  finish_frame(app, edited);
}

}  // namespace ropescope::ui
