#include <imgui.h>

#include <algorithm>

#include "app/figure/number_text.h"
#include "app/ui/hover.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/plot_range.h"
#include "app/ui/shell.h"
#include "core/error.h"

namespace ropescope::ui {

namespace {

bool item(App& app, const char* key, const std::string& shortcut = {}) {
  const bool chosen = ImGui::MenuItem((*app.ui.text)[std::string("shell.menu.") + key].c_str(),
                                      shortcut.empty() ? nullptr : shortcut.c_str());
  const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
  app.record.add(std::string("menu.") + key, {a.x, a.y, b.x - a.x, b.y - a.y});
  // ImGui presses a focused item with Space alone.
  const bool entered =
      ImGui::IsItemFocused() && (key_pressed(Key::enter, false) || key_pressed(Key::keypad_enter, false));
  if (entered && !chosen) ImGui::CloseCurrentPopup();
  return chosen || entered;
}

Vec2 size_of_plots(const App& app) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  return {std::max(400.0, screen.x / static_cast<double>(app.ui.scale)),
          std::max(300.0, screen.y / static_cast<double>(app.ui.scale))};
}

void save_as(App& app, const std::string& format) {
  open_dialog(app, DialogKind::save);
  app.dialog.format = format;
  app.dialog.figure = app.plot.menu_figure;
}

void copy_picture(App& app) {
  try {
    app.requests.clipboard_png = picture_of(app, "png", app.plot.menu_figure, size_of_plots(app));
  } catch (const InputError& error) {
    app.messages.push_back({app.text.say(error.words())});
  }
}

}  // namespace

void draw_plot_menu(App& app, Experiment& edited) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {app.ui.px(8), app.ui.px(8)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {app.ui.px(8), app.ui.px(6)});
  if (ImGui::BeginPopup("plot.menu")) {
    if (item(app, "copy_values")) {
      const Picked at{app.plot.menu_figure, app.plot.menu_at, app.plot.menu_y};
      app.requests.clipboard_text = values_text(app.result, at);
    }
    if (item(app, "copy_picture")) copy_picture(app);
    if (item(app, "copy_command"))
      app.requests.clipboard_text = command_line_of(edited, app.settings, size_of_plots(app));
    ImGui::Separator();
    if (item(app, "save_svg", "Ctrl+S")) save_as(app, "svg");
    if (item(app, "save_pdf")) save_as(app, "pdf");
    if (item(app, "save_png")) save_as(app, "png");
    if (item(app, "save_csv")) save_as(app, "csv");
    ImGui::Separator();
    if (item(app, "fit")) {
      for (const Panel& panel : app.result.panels) fit_axes(edited, panel.figure);
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar(2);
}

}  // namespace ropescope::ui
