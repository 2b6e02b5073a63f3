#include <imgui.h>

#include <algorithm>

#include "app/figure/number_text.h"
#include "app/ui/file_job.h"
#include "app/ui/hover.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/opening.h"
#include "app/ui/plot_range.h"
#include "app/ui/shell.h"
#include "app/ui/style.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/facets.h"
#include "app/views/shared/model_sides.h"
#include "core/error.h"
#include "core/formats/equivalents.h"

namespace ropescope::ui {

namespace {

bool labelled_item(App& app, const std::string& key, const std::string& label, const std::string& shortcut) {
  const bool chosen = ImGui::MenuItem(label.c_str(), shortcut.empty() ? nullptr : shortcut.c_str());
  app.record.add("menu." + key, last_item_rect());
  // ImGui presses a focused item with Space alone.
  const bool entered =
      ImGui::IsItemFocused() && (key_pressed(Key::enter, false) || key_pressed(Key::keypad_enter, false));
  if (entered && !chosen) ImGui::CloseCurrentPopup();
  return chosen || entered;
}

bool plot_menu_item(App& app, const char* key, const std::string& shortcut = {}) {
  return labelled_item(app, key, app.text[std::string("shell.menu.") + key], shortcut);
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
    app.requests.clipboard_png = screen_picture(app, size_of_plots(app));
  } catch (const InputError& error) {
    app.messages.push_back({app.text.say(error.words())});
  }
}

void add_note_here(App& app, const Experiment& edited) {
  if (edited.notes.size() >= kMaximumNotes) {
    app.messages.push_back({app.text.format("shell.message.notes", {{"count", counted(kMaximumNotes)}}), false});
    return;
  }
  const PlotState& plot = app.plot;
  open_note_dialog(app, std::nullopt,
                   {edited.view,
                    figure_of_cell(plot.menu_figure),
                    {},
                    plot.menu_x,
                    plot.menu_y,
                    plot.menu_words.x,
                    plot.menu_words.y});
}

/// The notes of the figure: the way to them for those without a mouse.
void note_items(App& app, const Experiment& edited) {
  for (std::size_t i = 0; i < edited.notes.size(); ++i) {
    const Note& note = edited.notes[i];
    if (note.view != edited.view || note.figure != figure_of_cell(app.plot.menu_figure)) continue;
    const std::string words = shortened(app.ui.fonts.body, note.text, static_cast<double>(app.ui.px(160)));
    const std::string label = app.text.format("shell.menu.edit_note", {{"note", words}});
    ImGui::PushID(static_cast<int>(i));
    if (labelled_item(app, "edit_note." + std::to_string(i), label, {})) open_note_dialog(app, i, note);
    ImGui::PopID();
  }
}

/// The present rope in the words of other programs; what they have no words for is said.
void copy_as_items(App& app, const Experiment& edited) {
  for (const OtherWords& words : all_other_words()) {
    const std::string name(words.name);
    if (!labelled_item(app, "copy_as." + name, app.text.format("shell.menu.copy_as", {{"program", name}}), {}))
      continue;
    try {
      const ModelSide side = rope_side(edited.rope);
      const double length = at_shown_length(find_view(edited.view), edited).rope.scaling.length;
      const Equivalent equivalent = words.of({side.profiles, length > 0 ? std::optional(length) : std::nullopt});
      if (!equivalent.text.empty()) app.requests.clipboard_text = equivalent.text + "\n";
      for (const Words& unsaid : equivalent.unsaid) app.messages.push_back({app.text.say(unsaid), false});
    } catch (const InputError& error) {
      app.messages.push_back({app.text.say(error.words())});
    }
  }
}

/// The models at hand side by side, or an end of all small multiples.
void facet_item(App& app, Experiment& edited) {
  if (has_facets(edited)) {
    if (plot_menu_item(app, "no_facets")) edited.facet = {};
  } else if (find_view(edited.view).compares_ropes && plot_menu_item(app, "facet_models")) {
    facet_models(edited);
  }
}

}  // namespace

void draw_plot_menu(App& app, Experiment& edited) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {app.ui.px(8), app.ui.px(8)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {app.ui.px(8), app.ui.px(6)});
  if (ImGui::BeginPopup("plot.menu")) {
    if (plot_menu_item(app, "copy_values")) {
      const Picked at{app.plot.menu_figure, app.plot.menu_at, app.plot.menu_y};
      app.requests.clipboard_text = values_text(app.result, at);
    }
    if (plot_menu_item(app, "copy_picture")) copy_picture(app);
    if (plot_menu_item(app, "copy_command")) app.requests.clipboard_text = command_line_of(edited, app.settings);
    const bool of_ropes = find_view(edited.view).compares_ropes;
    if (of_ropes) copy_as_items(app, edited);
    if (of_ropes && plot_menu_item(app, "compare", "Ctrl+Shift+O")) open_compare_dialog(app);
    ImGui::Separator();
    if (plot_menu_item(app, "save_svg", "Ctrl+S")) save_as(app, "svg");
    if (plot_menu_item(app, "save_pdf")) save_as(app, "pdf");
    if (plot_menu_item(app, "save_png")) save_as(app, "png");
    if (plot_menu_item(app, "save_csv")) save_as(app, "csv");
    if (can_save_gif(app) && plot_menu_item(app, "save_gif")) save_as(app, "gif");
    ImGui::Separator();
    if (plot_menu_item(app, "pen", "D")) app.pen.on = !app.pen.on;
    if (plot_menu_item(app, "pointer", "L")) next_pointer_mark(app);
    ImGui::Separator();
    if (plot_menu_item(app, "note")) add_note_here(app, edited);
    note_items(app, edited);
    facet_item(app, edited);
    if (plot_menu_item(app, "fit")) {
      for (const Panel& panel : app.result.panels) fit_axes(edited, panel.figure);
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar(2);
}

}  // namespace ropescope::ui
