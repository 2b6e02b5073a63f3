#include <imgui.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/experiment/figure_file.h"
#include "app/figure/table.h"
#include "app/resources/kinds.h"
#include "app/ui/file_job.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/modal.h"
#include "app/ui/shell.h"
#include "app/ui/style.h"
#include "core/error.h"

namespace ropescope::ui {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFormats[] = {"svg", "pdf", "png", "csv", "json"};

/// Sizes that are asked for often; their names are texts.
struct SizePreset {
  const char *name, *size;
};
constexpr SizePreset kSizes[] = {
    {"screen", "1200x800"}, {"slide", "1920x1080"}, {"column", "85x60mm"}, {"columns", "170x110mm"}};

bool is_picture(const std::string& format) {
  return format == "svg" || format == "pdf" || format == "png";
}

std::string stem_of(const App& app, const std::string& format) {
  if (format == "json") return "experiment";
  return format == "csv" && !app.dialog.figure.empty() ? app.dialog.figure : app.history.current().view;
}

/// An experiment's own ending, so that a desktop knows it from other JSON.
std::string ending_of(const std::string& format) {
  return format == "json" ? "rope.json" : format;
}

void save_now(App& app, const Experiment& experiment) {
  Dialog& dialog = app.dialog;
  try {
    if (dialog.path.empty()) throw InputError(Words("shell.dialog.no_path"));
    if (!may_write(app)) return;
    if (dialog.format == "gif") {
      start_gif(app, experiment, typed_path(dialog).string());
      app.settings.folder = whole_path(typed_path(dialog)).parent_path().string();
      return close_modal(app);
    }
    const std::string content =
        dialog.format == "json" ? experiment_to_json(experiment) : picture_of(app, dialog.format, dialog.figure);
    const fs::path path = typed_path(dialog);
    write_file(path, content);
    app.settings.folder = whole_path(path).parent_path().string();
    if (dialog.format == "json") remember_file(app.settings, whole_path(path).string());
    app.messages.push_back({app.text.format("shell.message.saved", {{"path", path.string()}}), false});
    close_modal(app);
  } catch (const InputError& error) {
    dialog.error = app.text.say(error.words());
  }
}

void draw_size(App& app) {
  Ui& ui = app.ui;
  std::string& size = app.settings.save.size;
  std::vector<ListItem> items;
  std::string current;
  for (const SizePreset& preset : kSizes) {
    items.push_back({preset.name, app.text[std::string("shell.dialog.size.") + preset.name], preset.size});
    if (size == preset.size) current = preset.name;
  }
  const std::string chosen = list_control(ui, "dialog.size", app.text["shell.dialog.size.label"], items, current,
                                          app.text["shell.dialog.size.own"]);
  for (const SizePreset& preset : kSizes) {
    if (chosen == preset.name) size = preset.size;
  }
  ImGui::TableNextColumn();
  const TextField field{.key = "save.size", .initial = SaveSettings().size};
  std::string typed = size;
  if (text_control(ui, field, typed) == Edit::none) return;
  try {
    parse_page_size(typed);
    size = typed;
    app.dialog.error.clear();
  } catch (const InputError& error) {
    app.dialog.error = app.text.say(error.words());
  }
}

/// What pictures of this format can have, in two columns.
void draw_picture_options(App& app) {
  Ui& ui = app.ui;
  SaveSettings& save = app.settings.save;
  const std::string& format = app.dialog.format;
  if (!ImGui::BeginTable("picture", 2, ImGuiTableFlags_SizingStretchSame)) return;
  ImGui::TableNextColumn();
  draw_size(app);
  ImGui::TableNextColumn();
  choice_control(ui, {.key = "save.theme", .options = {"automatic", "light", "dark"}, .initial = SaveSettings().theme},
                 save.theme);
  ImGui::TableNextColumn();
  const NumberField text{.key = "save.text_size",
                         .minimum = kSmallestPageText,
                         .maximum = kLargestPageText,
                         .initial = 100,
                         .whole = true,
                         .step = 5,
                         .unit = "unit.percent"};
  if (number_control(ui, text, save.text_percent) == Edit::reset) save.text_percent = text.initial;
  ImGui::TableNextColumn();
  if (format == "svg") {
    choice_control(ui, {.key = "save.words", .options = {"outlines", "text"}, .initial = SaveSettings().words},
                   save.words);
  } else if (format == "png" && save.size.ends_with("mm")) {
    const NumberField dpi{.key = "save.dpi",
                          .minimum = kSmallestDpi,
                          .maximum = kLargestDpi,
                          .initial = SaveSettings().dpi,
                          .logarithmic = true,
                          .whole = true,
                          .unit = "unit.dpi"};
    if (number_control(ui, dpi, save.dpi) == Edit::reset) save.dpi = dpi.initial;
  }
  ImGui::EndTable();
}

void draw_figure_choice(App& app) {
  Dialog& dialog = app.dialog;
  std::vector<ListItem> items;
  for (const Panel& panel : app.result.panels) items.push_back({panel.figure.name, panel.figure.y.label, {}});
  if (dialog.figure.empty()) dialog.figure = items.front().id;
  const std::string chosen =
      list_control(app.ui, "dialog.figure", app.text["shell.dialog.figure"], items, dialog.figure, dialog.figure);
  if (!chosen.empty()) dialog.figure = chosen;
}

/// Everything above the buttons; true where Enter confirmed the name.
bool draw_choices_save_dialog(App& app) {
  Dialog& dialog = app.dialog;
  ChoiceField format{.key = "dialog.format", .options = {}, .initial = "svg"};
  format.options.assign(std::begin(kFormats), std::end(kFormats));
  if (can_save_gif(app)) format.options.emplace_back("gif");
  const std::string before = dialog.format;
  choice_control(app.ui, format, dialog.format);
  if (dialog.just_opened || before != dialog.format) {
    dialog.path = free_name(dialog.folder, stem_of(app, dialog.format), ending_of(dialog.format));
    dialog.error.clear();
    // The name is selected again: whoever types now means the new one.
    if (!dialog.just_opened) dialog.focus = Dialog::Focus::text;
  }
  ImGui::TextUnformatted(app.text["shell.dialog.file"].c_str());
  const bool go = path_field(app);
  error_line(app);
  if (dialog.format == "csv" && app.result.panels.size() > 1) draw_figure_choice(app);
  if (is_picture(dialog.format)) draw_picture_options(app);
  if (is_picture(dialog.format) && has_ink(app.pen, app.history.current().view)) {
    toggles_control(app.ui, "row.dialog.ink", {{{.key = "dialog.ink"}, &dialog.ink}});
  }
  return go;
}

}  // namespace

fs::path whole_path(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return error ? path : whole;
}

std::string free_name(const fs::path& folder, const std::string& stem, const std::string& extension) {
  std::error_code error;
  for (int i = 0; i < 1000; ++i) {
    const fs::path path = folder / (stem + (i == 0 ? "" : "-" + std::to_string(i)) + "." + extension);
    if (!fs::exists(path, error)) return path.string();
  }
  return (folder / (stem + "." + extension)).string();
}

bool may_write(App& app) {
  Dialog& dialog = app.dialog;
  const fs::path path = typed_path(dialog);
  std::error_code error;
  if (!fs::exists(path, error) || !fs::is_regular_file(path, error)) return true;
  if (dialog.replaces == dialog.path && is_saved_as(path, dialog.format)) return true;
  // Enter has left the name, and with later versions of ImGui stays out of it: what is typed now must be the name.
  dialog.focus = Dialog::Focus::text;
  if (!is_saved_as(path, dialog.format)) {
    dialog.replaces.clear();
    dialog.error = app.text.format("shell.dialog.other_kind", {{"path", dialog.path}, {"format", dialog.format}});
    return false;
  }
  dialog.replaces = dialog.path;
  dialog.error = app.text.format("shell.dialog.replace", {{"path", dialog.path}});
  return false;
}

bool write_buttons(App& app, const char* key) {
  Dialog& dialog = app.dialog;
  // Another name typed after the question is another question.
  if (dialog.replaces != dialog.path && !dialog.replaces.empty()) {
    dialog.replaces.clear();
    dialog.error.clear();
  }
  return end_buttons(app, key, app.text[dialog.replaces.empty() ? "shell.dialog.do_save" : "shell.dialog.do_replace"]);
}

void draw_save(App& app, const Rect& screen, Experiment& edited) {
  Ui& ui = app.ui;
  Dialog& dialog = app.dialog;
  const bool ink = has_ink(app.pen, app.history.current().view);
  const double height = !is_picture(dialog.format) ? 330 : ink ? 530 : 450;
  if (!begin_modal(app, "dialog.save", app.text["shell.dialog.save"], screen, {640, height})) return;
  ImGui::BeginChild("choices", {0, ImGui::GetContentRegionAvail().y - height_above_buttons(ui)});
  bool go = draw_choices_save_dialog(app);
  ImGui::EndChild();
  go |= write_buttons(app, "dialog.do_save");
  if (go && dialog.kind == DialogKind::save) save_now(app, edited);
  ImGui::EndPopup();
}

PageStyle page_style(const Settings& settings, const std::string& format) {
  const SaveSettings& save = settings.save;
  const std::string suits = format == "png" ? settings.theme : "light";
  return {parse_theme(save.theme == "automatic" ? suits : save.theme),
          save.dpi,
          save.text_percent,
          save.words != "text",
          {}};
}

std::string picture_of(const App& app, const std::string& format, const std::string& figure) {
  if (!app.result.fault.empty()) throw InputError(app.result.fault);
  if (format == "json") return table_json(app.result);
  if (format == "csv") {
    for (const Panel& panel : app.result.panels) {
      if (figure.empty() || panel.figure.name == figure) return table_csv(panel.figure, app.result.formulas.get());
    }
    throw InputError("page.no_figure", {{"figure", figure}});
  }
  const PageFormat page = format == "svg" ? PageFormat::svg : format == "pdf" ? PageFormat::pdf : PageFormat::png;
  ViewResult shown = app.result;
  if (app.dialog.ink) shown.panels = with_ink(std::move(shown.panels), app.pen, app.history.current().view);
  PageStyle style = page_style(app.settings, format);
  if (app.result_of) style.carries = figure_text(*app.result_of);
  return paint_page(shown, page, parse_page_size(app.settings.save.size), style);
}

std::string screen_picture(const App& app, Vec2 size) {
  return paint_page(app.result, PageFormat::png, {size.x, size.y, false}, parse_theme(app.settings.theme));
}

}  // namespace ropescope::ui
