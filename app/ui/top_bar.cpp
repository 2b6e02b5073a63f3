#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/figure/number_text.h"
#include "app/resources/language.h"
#include "app/resources/models.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/opening.h"
#include "app/ui/shell.h"
#include "app/ui/style.h"
#include "app/views/shared/model_sides.h"

namespace ropescope::ui {

namespace {

constexpr double kTopBarPadding = 16, kTopBarGap = 10, kButton = 30, kAfterTitle = 18;
/// What the name of the view and the subject want of the bar before the buttons fold into one menu.
constexpr double kWordsWanted = 240;
constexpr double kMenuWidth = 240, kMenuShare = 0.85;

std::string subject_of(const Experiment& experiment, const Text& text) {
  const View& view = find_view(experiment.view);
  const std::string subject = view.subject ? view.subject(experiment, text) : std::string();
  if (!subject.empty()) return subject;
  const RopeKnobs& rope = experiment.rope;
  if (rope.label.empty()) return text["shell.own_values"];
  const std::string name = rope_name(rope, text);
  return rope.profile.empty() ? name : name + " · " + profile_label(text, rope.profile);
}

struct BarButton {
  const char* key;
  std::string label, tip;
  void (*act)(App&);
};

std::vector<BarButton> bar_buttons(const App& app) {
  const Text& text = app.text;
  const bool dark = app.settings.theme == "dark";
  return {
      {"shell.open", text["shell.open"], text["shell.tip.open"], [](App& a) { open_dialog(a, DialogKind::open); }},
      {"shell.save", text["shell.save"], text["shell.tip.save"], [](App& a) { open_dialog(a, DialogKind::save); }},
      {"shell.theme", text[dark ? "shell.light" : "shell.dark"], text["shell.tip.theme"],
       [](App& a) { a.settings.theme = a.settings.theme == "dark" ? "light" : "dark"; }},
      {"shell.text_size", readable_integer(app.settings.text_scale) + " %", text["shell.tip.text_size"],
       [](App& a) { a.popup = "text_size"; }},
      {"shell.language", text["language." + text.language()], text["shell.tip.language"],
       [](App& a) { a.popup = "language"; }},
      {"shell.keys", "?", text["shell.tip.keys"], [](App& a) { open_dialog(a, DialogKind::keys); }},
  };
}

double width_of(const Ui& ui, const std::vector<BarButton>& buttons) {
  double width = -static_cast<double>(ui.px(kTopBarGap));
  for (const BarButton& each : buttons) width += button_width(ui, each.label) + ui.px(kTopBarGap);
  return width;
}

/// In the order of Tab.
void draw_bar_buttons(App& app, const std::vector<BarButton>& buttons, double left, double middle) {
  Ui& ui = app.ui;
  for (const BarButton& each : buttons) {
    ImGui::SetCursorScreenPos(point(left, middle - static_cast<double>(ui.px(kButton / 2))));
    if (button(ui, each.key, each.label, true, each.tip)) each.act(app);
    left += button_width(ui, each.label) + ui.px(kTopBarGap);
  }
}

/// Begins a popup of the bar under what opened it, inside the window; its content is `width` wide and scrolls.
bool begin_bar_popup(App& app, const char* id, const char* owner_key, double width) {
  const Ui& ui = app.ui;
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const double pad = ui.px(8), room = static_cast<double>(window.x) - 2 * pad;
  const Rect* owner = app.record.find(owner_key);
  const Rect below = owner ? *owner : Rect{room, 0, 0, static_cast<double>(ui.px(40))};
  const double wide = std::min(width, room), top = below.bottom() + static_cast<double>(ui.px(6));
  const double most = std::min(static_cast<double>(window.y) * kMenuShare, static_cast<double>(window.y) - top - pad);
  ImGui::SetNextWindowPos(point(std::clamp(below.left, pad, std::max(pad, room + pad - wide)), top));
  ImGui::SetNextWindowSizeConstraints(point(wide, 0), point(wide, std::max<double>(ui.px(60), most)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(4), ui.px(4)});
  const bool open = ImGui::BeginPopup(id);
  ImGui::PopStyleVar();
  if (open) ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  return open;
}

void end_bar_popup() {
  ImGui::PopStyleVar();
  ImGui::EndPopup();
}

void draw_text_size_popup(App& app) {
  if (!begin_bar_popup(app, "text_size", "shell.text_size", app.ui.px(300))) {
    app.text_scale_edit.reset();
    return;
  }
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
  end_bar_popup();
}

/// The languages by their own names; texts and fonts change after the frame.
void draw_language_popup(App& app) {
  Ui& ui = app.ui;
  if (!begin_bar_popup(app, "language", "shell.language", ui.px(170))) return;
  for (const std::string& code : languages(app.places.assets)) {
    const std::string key = "language." + code;
    const std::string& name = ui.text->has(key) ? (*ui.text)[key] : code;
    if (list_item(ui, "shell.language." + code, name, "", code == ui.text->language())) {
      app.settings.language = code;
      ImGui::CloseCurrentPopup();
    }
  }
  end_bar_popup();
}

/// What the buttons do, where they have no room.
void draw_menu_popup(App& app, const std::vector<BarButton>& buttons) {
  if (!begin_bar_popup(app, "menu", "shell.menu", app.ui.px(kMenuWidth))) return;
  for (const BarButton& each : buttons) {
    const std::string label = each.key == std::string_view("shell.keys") ? app.text["shell.dialog.keys"] : each.label;
    if (!list_item(app.ui, each.key, label, "", false)) continue;
    ImGui::CloseCurrentPopup();
    each.act(app);
  }
  end_bar_popup();
}

void draw_view_popup(App& app, Experiment& edited) {
  if (!begin_bar_popup(app, "views", "shell.view", app.ui.px(kMenuWidth))) return;
  const std::string before = edited.view;
  draw_view_items(app, edited);
  if (edited.view != before) ImGui::CloseCurrentPopup();
  end_bar_popup();
}

/// A button that always names the view; returns its right end.
double draw_view_button(App& app, const Rect& rect, double left, double most, const Experiment& edited) {
  Ui& ui = app.ui;
  const std::string& name = app.text["view." + edited.view + ".name"];
  const double pad = ui.px(12), arrow = ui.px(18), height = ui.px(kButton);
  const double wanted = static_cast<double>(text_width(ui.fonts.semibold, name)) + 2 * pad + arrow;
  const Rect box{left, rect.top + rect.height / 2 - height / 2, std::min(wanted, most), height};
  const Press press = press_area(ui, "shell.view", box);
  fill_rect(box, press.hovered ? ui.palette.line : ui.palette.raised, ui.px(6));
  outline_rect(ui, box, ui.palette.line, ui.px(6));
  draw_line_within({ui.fonts.semibold, ui.palette.text, box.left + pad, box.top + height / 2},
                   std::max(0.0, box.width - 2 * pad - arrow), 0, name);
  draw_arrow(ui, box.right() - pad, box.top + height / 2, ui.palette.secondary);
  tooltip_after_rest(ui, "shell.view", press.hovered, app.text["shell.tip.view"]);
  if (press.clicked) app.popup = "views";
  return box.right();
}

}  // namespace

void draw_top_bar(App& app, const Rect& rect, bool view_menu, Experiment& edited) {
  Ui& ui = app.ui;
  fill_rect(rect, ui.palette.panel);
  ImGui::GetWindowDrawList()->AddLine(point(rect.left + 0.5, rect.bottom() - 0.5),
                                      point(rect.right() + 0.5, rect.bottom() - 0.5), colour32(ui.palette.line), 1);
  const double middle = rect.top + rect.height / 2, pad = ui.px(kTopBarPadding), gap = ui.px(kTopBarGap);
  const std::vector<BarButton> buttons = bar_buttons(app);
  const std::vector<BarButton> menu = {
      {"shell.menu", "≡", app.text["shell.tip.menu"], [](App& a) { a.popup = "menu"; }}};
  const bool folded = rect.width - width_of(ui, buttons) - 2 * pad < static_cast<double>(ui.px(kWordsWanted));
  const std::vector<BarButton>& shown = folded ? menu : buttons;
  const double right = rect.right() - pad - width_of(ui, shown);
  draw_bar_buttons(app, shown, right, middle);

  double left = rect.left + pad;
  const double words_end = right - gap - static_cast<double>(ui.px(2));
  if (view_menu) {
    left = draw_view_button(app, rect, left, std::max(1.0, words_end - left), edited) + gap;
  } else {
    const std::string title = "ropescope";
    draw_line_within({ui.fonts.semibold, ui.palette.text, left, middle}, std::max(0.0, words_end - left), 0, title);
    left += static_cast<double>(text_width(ui.fonts.semibold, title)) + static_cast<double>(ui.px(kAfterTitle));
  }
  draw_line_within({ui.fonts.body, ui.palette.secondary, left, middle}, std::max(0.0, words_end - left), 0,
                   subject_of(edited, app.text));

  if (!app.popup.empty()) ImGui::OpenPopup(std::exchange(app.popup, {}).c_str());
  if (folded) draw_menu_popup(app, buttons);
  if (view_menu) draw_view_popup(app, edited);
  draw_text_size_popup(app);
  draw_language_popup(app);
}

}  // namespace ropescope::ui
