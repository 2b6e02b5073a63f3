#include "app/ui/shell.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/figure/number_text.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/style.h"

namespace ropescope::ui {

namespace {

// Measures of the frame at 100 % : top bar, view list, controls, status line, padding, gap.
constexpr double kTopBar = 48, kViewList = 168, kControls = 320, kStatus = 28, kPadding = 16, kGap = 12;
constexpr double kFoldedControls = 28;
constexpr double kChips = 30;
// A card holds two lines of words; a narrow one three.
constexpr double kCard = 108, kTallCard = 132, kNarrowCard = 236, kCardAction = 40;
constexpr double kProgress = 2;
/// Below this width (at 100 %) the view list, and below the next the controls, give their place to the figures.
constexpr double kWidthForList = 1000, kWidthForControls = 640;

void hairline(double x0, double y0, double x1, double y1, Colour colour) {
  ImGui::GetWindowDrawList()->AddLine(point(x0 + 0.5, y0 + 0.5), point(x1 + 0.5, y1 + 0.5), colour32(colour), 1);
}

struct Areas {
  Rect top, list, controls, figures, status;
  bool show_list = true, show_controls = true, show_figures = true;
};

Areas areas_of(const App& app, double width, double height) {
  const Ui& ui = app.ui;
  Areas a;
  a.show_list = width >= ui.px(kWidthForList);
  // Too narrow for both: the controls then take the place of the figures while they are open.
  const bool either = width < ui.px(kWidthForControls);
  a.show_controls = either ? app.controls_over_figures : app.settings.controls_open;
  a.show_figures = !either || !a.show_controls;
  const double top = ui.px(kTopBar), status = ui.px(kStatus), middle = height - top - status;
  const double list = a.show_list ? ui.px(kViewList) : 0;
  const double controls = !a.show_figures ? width - list : ui.px(a.show_controls ? kControls : kFoldedControls);
  a.top = {0, 0, width, top};
  a.list = {0, top, list, middle};
  a.controls = {list, top, controls, middle};
  a.figures = {list + controls, top, std::max(1.0, width - list - controls), middle};
  a.status = {0, height - status, width, status};
  return a;
}

std::string subject_of(const Experiment& experiment, const Text& text) {
  const View& view = find_view(experiment.view);
  const std::string subject = view.subject ? view.subject(experiment, text) : std::string();
  if (!subject.empty()) return subject;
  const RopeKnobs& rope = experiment.rope;
  if (rope.label.empty()) return text["shell.own_values"];
  return rope.profile.empty() ? rope.label : rope.label + " · " + rope.profile;
}

void place(double x, double y) {
  ImGui::SetCursorScreenPos(point(x, y));
}

struct BarButton {
  const char* key;
  std::string label, tip;
  void (*act)(App&);
};

/// Buttons aligned to the right end, in the order of Tab. Returns where they begin.
double draw_bar_buttons(App& app, const std::vector<BarButton>& buttons, double right, double middle) {
  Ui& ui = app.ui;
  const double gap = ui.px(10);
  double left = right + gap;
  for (const BarButton& each : buttons) left -= button_width(ui, each.label) + gap;
  double x = left;
  for (const BarButton& each : buttons) {
    place(x, middle - ui.px(15));
    if (button(ui, each.key, each.label, true, each.tip)) each.act(app);
    x += button_width(ui, each.label) + gap;
  }
  return left;
}

void draw_text_size_popup(App& app) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {app.ui.px(14), app.ui.px(12)});
  const float width = app.ui.px(300);
  ImGui::SetNextWindowSize({width, 0});
  if (const Rect* owner = app.record.find("shell.text_size")) {  // under its button, inside the window
    const double most = static_cast<double>(ImGui::GetIO().DisplaySize.x - width - app.ui.px(kPadding));
    ImGui::SetNextWindowPos(point(std::min(owner->left, most), owner->bottom() + static_cast<double>(app.ui.px(6))));
  }
  if (ImGui::BeginPopup("text_size")) {
    const NumberField field{.key = "settings.text_scale",
                            .minimum = kSmallestText,
                            .maximum = kLargestText,
                            .initial = 100,
                            .whole = true,
                            .step = 5,
                            .unit = "unit.percent"};
    // The fonts are rebuilt when the drag ends: under the mouse the slider would run away from it.
    if (!app.text_scale_edit) app.text_scale_edit = app.settings.text_scale;
    const Edit edit = number_control(app.ui, field, *app.text_scale_edit);
    if (edit == Edit::done || edit == Edit::reset) {
      app.settings.text_scale = edit == Edit::reset ? field.initial : *app.text_scale_edit;
      app.text_scale_edit.reset();
      app.requests.rebuild_fonts = true;
    }
    ImGui::EndPopup();
  } else {
    app.text_scale_edit.reset();
  }
  ImGui::PopStyleVar();
}

}  // namespace

void draw_top_bar(App& app, const Rect& rect, Experiment& edited) {
  Ui& ui = app.ui;
  const Text& text = *ui.text;
  fill_rect(rect, ui.palette.panel);
  hairline(rect.left, rect.bottom() - 1, rect.right(), rect.bottom() - 1, ui.palette.line);
  const double middle = rect.top + rect.height / 2;

  const bool dark = app.settings.theme == "dark";
  const std::vector<BarButton> buttons = {
      {"shell.open", text["shell.open"], text["shell.tip.open"], [](App& a) { open_dialog(a, DialogKind::open); }},
      {"shell.save", text["shell.save"], text["shell.tip.save"], [](App& a) { open_dialog(a, DialogKind::save); }},
      {"shell.theme", text[dark ? "shell.light" : "shell.dark"], text["shell.tip.theme"],
       [](App& a) { a.settings.theme = a.settings.theme == "dark" ? "light" : "dark"; }},
      {"shell.text_size", readable_integer(app.settings.text_scale) + " %", text["shell.tip.text_size"],
       [](App&) { ImGui::OpenPopup("text_size"); }},
      {"shell.keys", "?", text["shell.tip.keys"], [](App& a) { open_dialog(a, DialogKind::keys); }},
  };
  const double buttons_left = draw_bar_buttons(app, buttons, rect.right() - ui.px(kPadding), middle);
  draw_text_size_popup(app);

  const double left = rect.left + ui.px(kPadding);
  const double room = buttons_left - left - ui.px(12);
  const std::string title = "ropescope";
  draw_line_within({ui.fonts.semibold, ui.palette.text, left, middle}, std::max(0.0, room), 0, title);
  const double name = text_width(ui.fonts.semibold, title) + ui.px(18);
  draw_line_within({ui.fonts.body, ui.palette.secondary, left + name, middle}, std::max(0.0, room - name), 0,
                   subject_of(edited, text));
}

void draw_view_list(App& app, const Rect& rect, Experiment& edited) {
  Ui& ui = app.ui;
  fill_rect(rect, ui.palette.panel);
  hairline(rect.right() - 1, rect.top, rect.right() - 1, rect.bottom(), ui.palette.line);
  place(rect.left, rect.top);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(10), ui.px(14)});
  begin_padded_child("views", point(rect.width, rect.height));
  std::string_view group;
  int number = 0;
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
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

void draw_cards(App& app, const Rect& rect, Experiment& edited) {
  const auto& readouts = app.result.readouts;
  if (readouts.empty()) return;
  const View& view = find_view(edited.view);
  const double gap = app.ui.px(kGap), count = static_cast<double>(readouts.size());
  const double room = rect.width - gap * (count - 1);
  double left = rect.left, shares = 0;
  bool actions = false;
  for (const Readout& readout : readouts) {
    shares += readout.width_share;
    actions = actions || readout.action;
  }
  for (const Readout& readout : readouts) {
    const double width = room * readout.width_share / shares;
    place(left, rect.top);
    const bool pressed = card(app.ui, readout, static_cast<float>(width), static_cast<float>(rect.height), actions);
    if (pressed && view.act) view.act(edited, readout.action->key);
    left += width + gap;
  }
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
  const double centre = rect.top + rect.height / 2, left = rect.left + ui.px(kPadding);
  const double half = rect.width / 2 - ui.px(2 * kPadding);
  draw_line_within({ui.fonts.small, ui.palette.secondary, left, centre}, std::max(0.0, half), 0, app.result.status);
  const std::string& hint = (*ui.text)["shell.hint"];
  const double width = text_width(ui.fonts.small, hint);
  if (width > rect.width / 2) return;
  draw_line({ui.fonts.small, ui.palette.secondary, rect.right() - ui.px(kPadding) - width, centre}, hint);
}

namespace {

void draw_figures(App& app, const Rect& area, Experiment& edited) {
  const Ui& ui = app.ui;
  const double pad = ui.px(kPadding), gap = ui.px(kGap);
  Rect rest{area.left + pad, area.top + pad, area.width - 2 * pad, area.height - 2 * pad};
  const auto take_top = [&rest](double height) {
    rest.top += height;
    rest.height -= height;
  };
  take_top(draw_messages(app, rest));
  const View& view = find_view(edited.view);
  Rect row{rest.left, rest.top, rest.width, ui.px(kChips)};
  if (view.player) row.width = draw_player(app, row, edited) - gap - row.left;
  if (view.compares_ropes) {
    take_top(draw_chips(app, {row.left, row.top, row.width, rest.height}, edited) + gap);
  } else if (view.player) {
    take_top(row.height + gap);
  }
  // Where there is hardly any height, the plot is worth more than the words.
  const double count = std::max<double>(1, static_cast<double>(app.result.readouts.size()));
  double card = (rest.width + gap) / count - gap < ui.px(kNarrowCard) ? ui.px(kTallCard) : ui.px(kCard);
  const auto acts = [](const Readout& readout) { return readout.action.has_value(); };
  if (std::any_of(app.result.readouts.begin(), app.result.readouts.end(), acts)) card += ui.px(kCardAction);
  const double cards = rest.height > 3 * card ? card : 0;
  const double plots = std::max(1.0, rest.height - (cards > 0 ? cards + gap : 0));
  draw_plots(app, {rest.left, rest.top, rest.width, plots}, edited);
  if (cards > 0) draw_cards(app, {rest.left, rest.top + plots + gap, rest.width, cards}, edited);
}

void draw_controls(App& app, const Areas& areas, Experiment& edited) {
  Ui& ui = app.ui;
  fill_rect(areas.controls, ui.palette.panel);
  hairline(areas.controls.right() - 1, areas.controls.top, areas.controls.right() - 1, areas.controls.bottom(),
           ui.palette.line);
  if (areas.show_controls) draw_knobs(app, areas.controls, edited);
  // Over the panel's upper right corner; folded, it is all that is left.
  const std::string label = areas.show_controls ? "‹" : "›";
  place(areas.controls.right() - ui.px(26), areas.controls.top + ui.px(8));
  if (fold_button(ui, "shell.fold", label, (*ui.text)["shell.tip.fold"])) app.fold_requested = true;
}

}  // namespace

void draw_app(App& app, double width, double height) {
  app.record.clear();
  const Areas areas = areas_of(app, width, height);
  app.animated = false;
  play(app, static_cast<double>(ImGui::GetIO().DeltaTime));
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
  draw_top_bar(app, areas.top, edited);
  if (areas.show_list) draw_view_list(app, areas.list, edited);
  draw_controls(app, areas, edited);
  // Controls first: what they change is seen in the same frame.
  clamp(edited);
  refresh_figures(app, edited);
  if (areas.show_figures) draw_figures(app, areas.figures, edited);
  if (std::exchange(app.fold_requested, false)) {
    bool& open = width < app.ui.px(kWidthForControls) ? app.controls_over_figures : app.settings.controls_open;
    open = !open;
  }
  draw_status(app, areas.status);
  draw_dialogs(app, {0, 0, width, height}, edited);
  ImGui::End();
  finish_frame(app, edited);
}

}  // namespace ropescope::ui
