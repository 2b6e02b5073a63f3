#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "app/resources/model_folder.h"
#include "app/resources/reason.h"
#include "app/resources/system.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/modal.h"
#include "app/ui/opening.h"
#include "app/ui/shell.h"
#include "app/ui/style.h"

namespace ropescope::ui {

namespace fs = std::filesystem;

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Whether a file ends like one of ".json .npy".
bool ends_like(const fs::path& path, const std::string& endings) {
  const std::string ending = lower(path.extension().string());
  return !ending.empty() && (" " + endings + " ").find(" " + ending + " ") != std::string::npos;
}

}  // namespace

fs::path starting_folder(const App& app) {
  std::error_code error;
  if (!app.settings.folder.empty() && fs::is_directory(app.settings.folder, error)) return app.settings.folder;
  const fs::path here = fs::current_path(error);
  if (!error) return here;
  const fs::path home = os::home_folder();
  return fs::is_directory(home, error) ? home : fs::path("/");
}

fs::path typed_path(const Dialog& dialog) {
  const fs::path typed(dialog.path);
  return typed.is_relative() && !typed.empty() ? dialog.folder / typed : typed;
}

/// Folders first, then files; hidden ones are left out.
void list_folder(App& app, const fs::path& folder) {
  Dialog& dialog = app.dialog;
  std::error_code error;
  std::vector<FolderEntry> entries;
  for (fs::directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code ignored;
    const bool is_folder = it->is_directory(ignored);
    if (name.starts_with(".")) continue;
    if (is_folder || dialog.all_files || ends_like(it->path(), dialog.endings)) entries.push_back({name, is_folder});
  }
  if (error) {
    dialog.error = folder.string() + ": " + app.text.say(reason(error.value()));
    return;
  }
  std::sort(entries.begin(), entries.end(), [](const FolderEntry& a, const FolderEntry& b) {
    return a.is_folder != b.is_folder ? a.is_folder : lower(a.name) < lower(b.name);
  });
  dialog.folder = folder;
  dialog.entries = std::move(entries);
  dialog.error.clear();
}

namespace {

/// One row of a list. A list is one stop of Tab, its first row or the one that arrow keys went on to. Where the list
/// is to have the focus, its first row takes it.
bool row(App& app, const std::string& key, const std::string& label, bool first) {
  ImGui::PushStyleColor(ImGuiCol_NavHighlight, 0);  // the ring of tab_stop() is enough
  bool chosen = ImGui::Selectable(label.c_str());
  ImGui::PopStyleColor();
  app.record.add(key, last_item_rect());
  if (first && app.dialog.focus == Dialog::Focus::list && key.starts_with("dialog.")) {
    app.dialog.focus = Dialog::Focus::none;
    focus_last_item();
  }
  if (!first && !ImGui::IsItemFocused()) return chosen;
  const bool entered = key_pressed(Key::enter, false) || key_pressed(Key::keypad_enter, false);
  chosen |= tab_stop(app.ui, 4) && focus_is_visible() && entered;
  return chosen;
}

/// Whether the folder that is listed already is to be opened itself: a model's.
bool opens_folder(const Dialog& dialog, const fs::path& path, Dialog::Focus from) {
  std::error_code error;
  return dialog.kind == DialogKind::open && from == Dialog::Focus::text && fs::equivalent(path, dialog.folder, error) &&
         is_model_folder(path.string());
}

/// What a chosen file is for.
PendingOpen opens(const Dialog& dialog, const fs::path& path) {
  const bool for_field = dialog.kind == DialogKind::file;
  return {for_field ? PendingOpen::Kind::field : PendingOpen::Kind::path, path.string(), dialog.field};
}

/// Goes into a folder, the focus staying with what chose it, or opens a file.
void choose(App& app, const fs::path& path, Dialog::Focus from) {
  Dialog& dialog = app.dialog;
  std::error_code error;
  if (opens_folder(dialog, path, from)) {
    app.settings.folder = dialog.folder.string();
    app.pending = opens(dialog, path.has_filename() ? path : path.parent_path());
    close_modal(app);
    return;
  }
  if (fs::is_directory(path, error)) {
    list_folder(app, path.lexically_normal());
    if (dialog.error.empty()) dialog.path = (dialog.folder / "").string();
    dialog.focus = from;
    return;
  }
  app.settings.folder = path.parent_path().string();
  app.pending = opens(dialog, path);
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
    if (row(app, "dialog.up", "../", first)) chosen = app.dialog.folder / "..";
    first = false;
  }
  for (const FolderEntry& entry : app.dialog.entries) {
    const std::string label = entry.is_folder ? entry.name + "/" : entry.name;
    if (row(app, "dialog.file." + entry.name, label, first)) chosen = app.dialog.folder / entry.name;
    first = false;
  }
  if (app.dialog.entries.empty()) wrapped_text(text["shell.dialog.no_files"], room_for_text());
  ImGui::EndChild();
  ImGui::SameLine();
  ImGui::BeginChild("recent", {0, height}, true);
  group_label(ui, text["shell.dialog.recent"]);
  if (app.settings.recent.empty()) wrapped_text(text["shell.dialog.no_recent"], room_for_text());
  for (std::size_t i = 0; i < app.settings.recent.size(); ++i) {
    const fs::path path(app.settings.recent[i]);
    ImGui::PushID(static_cast<int>(i));
    if (row(app, "dialog.recent." + std::to_string(i), short_name(path), i == 0)) chosen = path;
    if (ImGui::IsItemHovered()) tooltip(ui, path.string());
    ImGui::PopID();
  }
  ImGui::EndChild();
  if (chosen) choose(app, *chosen, focus_is_visible() ? Dialog::Focus::list : Dialog::Focus::none);
}

/// Only the files that the view or the field takes, or all.
void draw_filter(App& app) {
  Dialog& dialog = app.dialog;
  const ChoiceField field{.key = "dialog.files", .options = {"fitting", "all"}, .initial = "fitting"};
  std::string shown = dialog.all_files ? "all" : "fitting";
  choice_control(app.ui, field, shown);
  if ((shown == "all") == dialog.all_files) return;
  dialog.all_files = shown == "all";
  list_folder(app, dialog.folder);
}

}  // namespace

void draw_open(App& app, const Rect& screen) {
  Ui& ui = app.ui;
  const Text& text = *ui.text;
  const bool for_field = app.dialog.kind == DialogKind::file, compares = app.dialog.field == kCompared;
  const std::string title =
      for_field ? text.format("shell.dialog.choose", {{"field", text["field." + app.dialog.field + ".label"]}})
                : text[compares ? "shell.dialog.compare" : "shell.dialog.open"];
  if (!begin_modal(app, "dialog.open", title, screen, {720, 560})) return;
  if (!for_field)
    wrapped_text(text[compares ? "shell.dialog.compare_hint" : "shell.dialog.open_hint"], room_for_text());
  wrapped_text(text.format("shell.dialog.endings", {{"endings", app.dialog.endings}}), room_for_text());
  bool go = path_field(app);
  error_line(app);
  draw_filter(app);
  open_lists(app, std::max(ui.px(60), ImGui::GetContentRegionAvail().y - height_above_buttons(ui)));
  if (!for_field && !compares) {
    ImGui::SetCursorPosY(ImGui::GetWindowHeight() - ui.px(48));
    if (button(ui, "dialog.new", text["shell.dialog.new"], true, text["shell.tip.new"])) {
      app.pending = {PendingOpen::Kind::defaults, {}, {}};
      close_modal(app);
    }
  }
  go |= end_buttons(app, "dialog.do_open", text[compares ? "shell.dialog.do_compare" : "shell.dialog.do_open"]);
  const bool still = app.dialog.kind == DialogKind::open || app.dialog.kind == DialogKind::file;
  if (go && still) choose(app, typed_path(app.dialog), Dialog::Focus::text);
  ImGui::EndPopup();
}

void open_dialog(App& app, DialogKind kind) {
  app.dialog = {};
  app.dialog.kind = kind;
  app.dialog.just_opened = true;
  const fs::path folder = starting_folder(app);
  app.dialog.folder = folder;
  if (kind == DialogKind::open) {
    const std::string_view of_view = find_view(app.history.current().view).opens;
    app.dialog.endings = ".json .gguf .md .svg .pdf .png" + (of_view.empty() ? "" : " " + std::string(of_view));
    list_folder(app, folder);
    app.dialog.path = (folder / "").string();
  }
}

void open_compare_dialog(App& app) {
  open_dialog(app, DialogKind::open);
  app.dialog.field = kCompared;
  app.dialog.endings = ".json .gguf";
  list_folder(app, app.dialog.folder);
}

void open_file_dialog(App& app, const std::string& field, const std::string& endings, const std::string& present) {
  open_dialog(app, DialogKind::file);
  app.dialog.field = field;
  app.dialog.endings = endings;
  std::error_code error;
  const fs::path beside = fs::path(present).parent_path();
  list_folder(app, !beside.empty() && fs::is_directory(beside, error) ? beside : app.dialog.folder);
  app.dialog.path = present.empty() ? (app.dialog.folder / "").string() : present;
}

}  // namespace ropescope::ui
