#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "app/figure/page.h"
#include "app/figure/table.h"
#include "app/resources/kinds.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/keys.h"
#include "app/ui/shell.h"
#include "app/ui/style.h"
#include "core/error.h"

namespace ropescope::ui {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFormats[] = {"svg", "pdf", "png", "csv", "json"};

/// The folder of last time, else the one that the program was started in, else the person's own: each may be gone.
fs::path starting_folder(const App& app) {
  std::error_code error;
  if (!app.settings.folder.empty() && fs::is_directory(app.settings.folder, error)) return app.settings.folder;
  const fs::path here = fs::current_path(error);
  if (!error) return here;
  const char* home = std::getenv("HOME");
  return home && fs::is_directory(home, error) ? fs::path(home) : fs::path("/");
}

/// Absolute where the current folder is there; else as it is.
fs::path absolute(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return error ? path : whole;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Folders first, then .json files; hidden ones are left out.
void list_folder(Dialog& dialog, const fs::path& folder) {
  std::error_code error;
  std::vector<FolderEntry> entries;
  for (fs::directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code ignored;
    const bool is_folder = it->is_directory(ignored);
    if (name.starts_with(".") || (!is_folder && lower(it->path().extension().string()) != ".json")) continue;
    entries.push_back({name, is_folder});
  }
  if (error) {
    dialog.error = folder.string() + ": " + error.message();
    return;
  }
  std::sort(entries.begin(), entries.end(), [](const FolderEntry& a, const FolderEntry& b) {
    return a.is_folder != b.is_folder ? a.is_folder : lower(a.name) < lower(b.name);
  });
  dialog.folder = folder;
  dialog.entries = std::move(entries);
  dialog.error.clear();
}

/// "similarity-1.svg" where "similarity.svg" exists: saving never replaces a file unasked.
std::string free_name(const fs::path& folder, const std::string& stem, const std::string& extension) {
  std::error_code error;
  for (int i = 0; i < 1000; ++i) {
    const fs::path path = folder / (stem + (i == 0 ? "" : "-" + std::to_string(i)) + "." + extension);
    if (!fs::exists(path, error)) return path.string();
  }
  return (folder / (stem + "." + extension)).string();
}

void close_modal(App& app) {
  app.dialog.kind = DialogKind::none;
  ImGui::CloseCurrentPopup();
}

bool begin_modal(App& app, const char* id, const std::string& title, const Rect& screen, Vec2 wanted) {
  const Ui& ui = app.ui;
  if (app.dialog.just_opened) ImGui::OpenPopup(id);
  const float width = std::min(ui.px(wanted.x), static_cast<float>(screen.width) - ui.px(32));
  const float height = std::min(ui.px(wanted.y), static_cast<float>(screen.height) - ui.px(32));
  ImGui::SetNextWindowSize({width, height});
  ImGui::SetNextWindowPos({static_cast<float>(screen.width) / 2, static_cast<float>(screen.height) / 2},
                          ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(20), ui.px(18)});
  const bool open = ImGui::BeginPopupModal(id, nullptr,
                                           ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                               ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar();
  if (!open) {
    if (!app.dialog.just_opened) app.dialog.kind = DialogKind::none;
    return false;
  }
  // ImGui closes popups with Escape, but not modal ones.
  const bool focused =
      ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows | ImGuiFocusedFlags_NoPopupHierarchy);
  if (focused && key_pressed(Key::escape, false)) close_modal(app);
  ImGui::PushFont(ui.fonts.semibold);
  ImGui::TextUnformatted(title.c_str());
  ImGui::PopFont();
  ImGui::Dummy({0, ui.px(6)});
  return true;
}

void place_at_bottom_right(const Ui& ui, float width) {
  ImGui::SetCursorPos({ImGui::GetWindowWidth() - ui.px(20) - width, ImGui::GetWindowHeight() - ui.px(18) - ui.px(30)});
}

/// Returns true when the path was confirmed by Enter.
bool path_field(App& app) {
  return text_input(app.ui, "dialog.path", app.dialog.path, app.dialog.just_opened);
}

void error_line(const App& app) {
  if (app.dialog.error.empty()) return;
  const Colour c = app.ui.palette.warning;
  ImGui::PushStyleColor(ImGuiCol_Text, IM_COL32(c.red, c.green, c.blue, 255));
  ImGui::TextWrapped("%s", app.dialog.error.c_str());
  ImGui::PopStyleColor();
}

/// One row of a list. A list is one stop of Tab, its first row or the one that arrow keys went on to.
bool row(App& app, const std::string& key, const std::string& label, bool first) {
  ImGui::PushStyleColor(ImGuiCol_NavHighlight, 0);  // the ring of tab_stop() is enough
  bool chosen = ImGui::Selectable(label.c_str());
  ImGui::PopStyleColor();
  app.record.add(key, last_item_rect());
  if (!first && !ImGui::IsItemFocused()) return chosen;
  const bool entered = key_pressed(Key::enter, false) || key_pressed(Key::keypad_enter, false);
  chosen |= tab_stop(app.ui, 4) && focus_is_visible() && entered;
  return chosen;
}

void choose(App& app, const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    list_folder(app.dialog, path);
    if (app.dialog.error.empty()) app.dialog.path = (path / "").string();
    return;
  }
  app.settings.folder = path.parent_path().string();
  app.pending = {PendingOpen::Kind::path, path.string()};
  close_modal(app);
}

void open_lists(App& app, float height) {
  Ui& ui = app.ui;
  const Text& text = *ui.text;
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::BeginChild("folder", {width * 0.58f, height}, true);
  std::optional<fs::path> chosen;
  bool first = true;
  if (app.dialog.folder.has_relative_path()) {
    if (row(app, "dialog.up", "../", first)) chosen = app.dialog.folder.parent_path();
    first = false;
  }
  for (const FolderEntry& entry : app.dialog.entries) {
    const std::string label = entry.is_folder ? entry.name + "/" : entry.name;
    if (row(app, "dialog.file." + entry.name, label, first)) chosen = app.dialog.folder / entry.name;
    first = false;
  }
  if (app.dialog.entries.empty()) ImGui::TextWrapped("%s", text["shell.dialog.no_json"].c_str());
  ImGui::EndChild();
  ImGui::SameLine();
  ImGui::BeginChild("recent", {0, height}, true);
  group_label(ui, text["shell.dialog.recent"]);
  if (app.settings.recent.empty()) ImGui::TextWrapped("%s", text["shell.dialog.no_recent"].c_str());
  for (std::size_t i = 0; i < app.settings.recent.size(); ++i) {
    const fs::path path(app.settings.recent[i]);
    ImGui::PushID(static_cast<int>(i));
    if (row(app, "dialog.recent." + std::to_string(i), short_name(path), i == 0)) chosen = path;
    if (ImGui::IsItemHovered()) tooltip(ui, path.string());
    ImGui::PopID();
  }
  ImGui::EndChild();
  if (chosen) choose(app, *chosen);
}

void draw_open(App& app, const Rect& screen) {
  Ui& ui = app.ui;
  const Text& text = *ui.text;
  if (!begin_modal(app, "dialog.open", text["shell.dialog.open"], screen, {720, 520})) return;
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(text["shell.dialog.open_hint"].c_str());
  ImGui::PopTextWrapPos();
  bool go = path_field(app);
  error_line(app);
  open_lists(app, std::max(ui.px(60), ImGui::GetContentRegionAvail().y - ui.px(46)));
  const float both =
      button_width(ui, text["shell.dialog.cancel"]) + button_width(ui, text["shell.dialog.do_open"]) + ui.px(10);
  place_at_bottom_right(ui, both);
  if (button(ui, "dialog.cancel", text["shell.dialog.cancel"])) close_modal(app);
  ImGui::SameLine(0, ui.px(10));
  go |= button(ui, "dialog.do_open", text["shell.dialog.do_open"]);
  if (go && app.dialog.kind == DialogKind::open) choose(app, app.dialog.path);
  ImGui::EndPopup();
}

std::string stem_of(const App& app, const std::string& format) {
  if (format == "json") return "experiment";
  return format == "csv" && !app.dialog.figure.empty() ? app.dialog.figure : app.history.current().view;
}

/// Whether the file may be written: it is not there, or it is of the same kind and the person has said yes to replacing
/// just this one. Else the dialog says why, or asks.
bool may_write(App& app) {
  Dialog& dialog = app.dialog;
  std::error_code error;
  if (!fs::exists(dialog.path, error) || !fs::is_regular_file(dialog.path, error)) return true;
  if (!is_saved_as(dialog.path, dialog.format)) {
    dialog.replaces.clear();
    dialog.error = app.text.format("shell.dialog.other_kind", {{"path", dialog.path}, {"format", dialog.format}});
    return false;
  }
  if (dialog.replaces == dialog.path) return true;
  dialog.replaces = dialog.path;
  dialog.error = app.text.format("shell.dialog.replace", {{"path", dialog.path}});
  return false;
}

void save_now(App& app, const Experiment& experiment) {
  Dialog& dialog = app.dialog;
  try {
    if (dialog.path.empty()) throw InputError(Words("shell.dialog.no_path"));
    if (!may_write(app)) return;
    const std::string content = dialog.format == "json" ? experiment_to_json(experiment)
                                                        : picture_of(app, dialog.format, dialog.figure, {1200, 800});
    write_file(dialog.path, content);
    app.settings.folder = absolute(dialog.path).parent_path().string();
    if (dialog.format == "json") remember_file(app.settings, absolute(dialog.path).string());
    app.messages.push_back({app.text.format("shell.message.saved", {{"path", dialog.path}}), false});
    close_modal(app);
  } catch (const InputError& error) {
    dialog.error = app.text.say(error.words());
  }
}

void draw_save(App& app, const Rect& screen, Experiment& edited) {
  Ui& ui = app.ui;
  const Text& text = *ui.text;
  Dialog& dialog = app.dialog;
  if (!begin_modal(app, "dialog.save", text["shell.dialog.save"], screen, {620, 330})) return;
  ChoiceField format{.key = "dialog.format", .options = {}, .initial = "svg"};
  format.options.assign(std::begin(kFormats), std::end(kFormats));
  const std::string before = dialog.format;
  choice_control(ui, format, dialog.format);
  if (dialog.just_opened || before != dialog.format) {
    dialog.path = free_name(dialog.folder, stem_of(app, dialog.format), dialog.format);
    dialog.error.clear();
  }
  if (dialog.format == "csv" && app.result.panels.size() > 1) {
    std::vector<ListItem> items;
    for (const Panel& panel : app.result.panels) items.push_back({panel.figure.name, panel.figure.y.label, {}});
    if (dialog.figure.empty()) dialog.figure = items.front().id;
    const std::string chosen =
        list_control(ui, "dialog.figure", text["shell.dialog.figure"], items, dialog.figure, dialog.figure);
    if (!chosen.empty()) dialog.figure = chosen;
  }
  ImGui::TextUnformatted(text["shell.dialog.file"].c_str());
  bool go = path_field(app);
  error_line(app);
  // Another name typed after the question is another question.
  if (dialog.replaces != dialog.path && !dialog.replaces.empty()) {
    dialog.replaces.clear();
    dialog.error.clear();
  }
  const std::string& save = text[dialog.replaces.empty() ? "shell.dialog.do_save" : "shell.dialog.do_replace"];
  const float both = button_width(ui, text["shell.dialog.cancel"]) + button_width(ui, save) + ui.px(10);
  place_at_bottom_right(ui, both);
  if (button(ui, "dialog.cancel", text["shell.dialog.cancel"])) close_modal(app);
  ImGui::SameLine(0, ui.px(10));
  go |= button(ui, "dialog.do_save", save);
  if (go && dialog.kind == DialogKind::save) save_now(app, edited);
  ImGui::EndPopup();
}

/// The list has nothing to focus, so that the keys move it wherever the focus is.
void scroll_by_keys() {
  const float line = ImGui::GetTextLineHeightWithSpacing(), page = 0.8f * ImGui::GetWindowHeight();
  const auto pressed = [](Key key) { return key_pressed(key) ? 1.0f : 0.0f; };
  const float by =
      line * (pressed(Key::down) - pressed(Key::up)) + page * (pressed(Key::page_down) - pressed(Key::page_up));
  if (by != 0) ImGui::SetScrollY(std::clamp(ImGui::GetScrollY() + by, 0.0f, ImGui::GetScrollMaxY()));
}

void draw_keys(App& app, const Rect& screen) {
  Ui& ui = app.ui;
  const Text& text = *ui.text;
  if (!begin_modal(app, "dialog.keys", text["shell.dialog.keys"], screen, {720, 620})) return;
  ImGui::BeginChild("keys", {0, ImGui::GetContentRegionAvail().y - ui.px(44)});
  scroll_by_keys();
  if (ImGui::BeginTable("keys", 2, ImGuiTableFlags_SizingStretchProp)) {
    ImGui::TableSetupColumn("key", ImGuiTableColumnFlags_WidthFixed, ui.px(290));
    for (const KeyLine& line : key_lines(text)) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::PushTextWrapPos(0);
      ImGui::TextUnformatted(line.keys.c_str());
      ImGui::PopTextWrapPos();
      ImGui::TableNextColumn();
      ImGui::PushTextWrapPos(0);
      ImGui::TextUnformatted(line.meaning.c_str());
      ImGui::PopTextWrapPos();
    }
    ImGui::EndTable();
  }
  ImGui::EndChild();
  place_at_bottom_right(ui, button_width(ui, text["shell.dialog.close"]));
  if (button(ui, "dialog.close", text["shell.dialog.close"])) close_modal(app);
  ImGui::EndPopup();
}

}  // namespace

void open_dialog(App& app, DialogKind kind) {
  app.dialog = {};
  app.dialog.kind = kind;
  app.dialog.just_opened = true;
  const fs::path folder = starting_folder(app);
  app.dialog.folder = folder;
  if (kind == DialogKind::open) {
    list_folder(app.dialog, folder);
    app.dialog.path = (folder / "").string();
  }
}

void draw_dialogs(App& app, const Rect& screen, Experiment& edited) {
  if (app.dialog.kind == DialogKind::none) return;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {app.ui.px(10), app.ui.px(8)});
  const DialogKind kind = app.dialog.kind;
  if (kind == DialogKind::open) draw_open(app, screen);
  if (kind == DialogKind::save) draw_save(app, screen, edited);
  if (kind == DialogKind::keys) draw_keys(app, screen);
  ImGui::PopStyleVar();
  // A dialog opened from inside this frame starts with the next one.
  if (app.dialog.kind == kind) app.dialog.just_opened = false;
}

std::string picture_of(const App& app, const std::string& format, const std::string& figure, Vec2 size) {
  if (format == "json") return table_json(app.result);
  if (format == "csv") {
    for (const Panel& panel : app.result.panels) {
      if (figure.empty() || panel.figure.name == figure) return table_csv(panel.figure);
    }
    throw InputError("page.no_figure", {{"figure", figure}});
  }
  const PageFormat page = format == "svg" ? PageFormat::svg : format == "pdf" ? PageFormat::pdf : PageFormat::png;
  return paint_page(app.result, page, {size.x, size.y, false}, parse_theme(app.settings.theme));
}

}  // namespace ropescope::ui
