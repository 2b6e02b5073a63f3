// Dialogs, and the bytes of saved figures.
//
// Contents: Shared; Words; Open; Save; Handout; Keys.

#include "app/ui/dialogs.h"

#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <utility>

#include "app/experiment/figure_file.h"
#include "app/figure/cells.h"
#include "app/figure/table.h"
#include "app/lessons/handout.h"
#include "app/resources/models.h"
#include "app/resources/system.h"
#include "app/resources/text.h"
#include "app/ui/app.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/drawing/style.h"
#include "app/ui/pen.h"
#include "app/ui/state.h"
#include "app/ui/widgets.h"
#include "app/views/shared/messages.h"
#include "core/message.h"

namespace ropescope::ui {

// --- Shared --------------------------------------------------------------------------------------------------------

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

namespace {

namespace fs = std::filesystem;

/// Places the cursor at the start of a row of buttons of this total width.
void place_at_bottom_right(const Ui& ui, float width) {
  ImGui::SetCursorPos({ImGui::GetWindowWidth() - ui.px(20) - width, ImGui::GetWindowHeight() - ui.px(18) - ui.px(30)});
}

/// Draws "Cancel" and the button `key` with `label`; returns true if the latter was pressed.
bool end_buttons(App& app, const char* key, const std::string& label) {
  Ui& ui = app.ui;
  const std::string& cancel = app.text["shell.dialog.cancel"];
  place_at_bottom_right(ui, button_width(ui, cancel) + button_width(ui, label) + ui.px(10));
  if (button(ui, "dialog.cancel", cancel)) close_modal(app);
  ImGui::SameLine(0, ui.px(10));
  return button(ui, key, label);
}

/// Returns the height available above those buttons.
float height_above_buttons(const Ui& ui) {
  return ui.px(46);
}

double measure_text_width() {
  return static_cast<double>(ImGui::GetContentRegionAvail().x);
}

/// Draws the text of the dialog, all selected when it gets the focus; returns true if Enter confirmed it.
bool path_field(App& app) {
  const bool focus = app.dialog.just_opened || app.dialog.focus == Dialog::Focus::text;
  if (focus) app.dialog.focus = Dialog::Focus::none;
  return text_input(app.ui, "dialog.path", app.dialog.path, focus);
}

void error_line(const App& app) {
  if (app.dialog.error.empty()) return;
  const Colour c = app.ui.palette.warning;
  ImGui::PushStyleColor(ImGuiCol_Text, IM_COL32(c.red, c.green, c.blue, 255));
  wrapped_text(app.dialog.error, measure_text_width());
  ImGui::PopStyleColor();
}

// --- Words ---------------------------------------------------------------------------------------------------------

/// A dialog with one input text. Its texts: "shell.dialog.TITLE", "….TITLE_hint" and "shell.dialog.do_TITLE".
struct WordsDialog {
  std::string title;
  bool removable = false;
};
enum class Answer { none, confirmed, removed };

Answer draw_words(App& app, const Rect& screen, const WordsDialog& asked) {
  const auto words = [&app](const std::string& key) -> const std::string& { return app.text["shell.dialog." + key]; };
  if (!begin_modal(app, "dialog.words", words(asked.title), screen, {520, 210})) return Answer::none;
  wrapped_text(words(asked.title + "_hint"), measure_text_width());
  Answer answer = path_field(app) ? Answer::confirmed : Answer::none;
  if (asked.removable) {
    ImGui::SetCursorPosY(ImGui::GetWindowHeight() - app.ui.px(48));
    if (button(app.ui, "dialog.remove", words("remove"))) answer = Answer::removed;
  }
  if (end_buttons(app, "dialog.do_words", words("do_" + asked.title))) answer = Answer::confirmed;
  if (answer != Answer::none) close_modal(app);
  ImGui::EndPopup();
  return answer;
}

void draw_rename(App& app, const Rect& screen, Experiment& edited) {
  Dialog& dialog = app.dialog;
  if (draw_words(app, screen, {"rename"}) == Answer::none) return;
  if (!dialog.index) edited.curves.name = dialog.path;
  if (dialog.index && *dialog.index < edited.pins.size()) edited.pins[*dialog.index].name = dialog.path;
}

void draw_note(App& app, const Rect& screen, Experiment& edited) {
  Dialog& dialog = app.dialog;
  const bool known = dialog.index && *dialog.index < edited.notes.size();
  const Answer answer = draw_words(app, screen, {"note", known});
  if (answer == Answer::none) return;
  if (known && (answer == Answer::removed || dialog.path.empty())) {
    edited.notes.erase(edited.notes.begin() + static_cast<std::ptrdiff_t>(*dialog.index));
  } else if (known) {
    edited.notes[*dialog.index].text = dialog.path;
  } else if (!dialog.path.empty()) {
    dialog.note.text = dialog.path;
    edited.notes.push_back(dialog.note);
  }
}

// --- Open ----------------------------------------------------------------------------------------------------------

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Returns whether a file has one of the extensions ".json .npy".
bool ends_like(const fs::path& path, const std::string& endings) {
  const std::string ending = lower(path.extension().string());
  return !ending.empty() && (" " + endings + " ").find(" " + ending + " ") != std::string::npos;
}

/// Returns the last folder, else the current one, else the user's home: each may be missing.
fs::path starting_folder(const App& app) {
  std::error_code error;
  if (!app.settings.folder.empty() && fs::is_directory(app.settings.folder, error)) return app.settings.folder;
  fs::path here = fs::current_path(error);
  if (!error) return here;
  const fs::path home = os::home_folder();
  return fs::is_directory(home, error) ? home : fs::path("/");
}

/// Lists a folder in the dialog: folders first, then files; hidden ones are omitted.
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
    dialog.error = folder.string() + ": " + app.text.render(reason(error.value()));
    return;
  }
  std::sort(entries.begin(), entries.end(), [](const FolderEntry& a, const FolderEntry& b) {
    return a.is_folder != b.is_folder ? a.is_folder : lower(a.name) < lower(b.name);
  });
  dialog.folder = folder;
  dialog.entries = std::move(entries);
  dialog.error.clear();
}

/// Returns the path of the dialog's text: a relative one starts at the current folder.
fs::path resolve_typed_path(const Dialog& dialog) {
  const fs::path typed(dialog.path);
  return typed.is_relative() && !typed.empty() ? dialog.folder / typed : typed;
}

/// Draws one row of a list. A list is one Tab stop: its first row, or the one selected by arrow keys. If the list gets
/// the focus, its first row does.
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

/// Returns whether the listed folder itself is to be opened: a model's.
bool opens_folder(const Dialog& dialog, const fs::path& path, Dialog::Focus from) {
  std::error_code error;
  return dialog.kind == DialogKind::open && from == Dialog::Focus::text && fs::equivalent(path, dialog.folder, error) &&
         is_model_folder(path.string());
}

/// Returns the purpose of a chosen file.
PendingOpen opens(const Dialog& dialog, const fs::path& path) {
  const bool for_field = dialog.kind == DialogKind::file;
  return {for_field ? PendingOpen::Kind::field : PendingOpen::Kind::path, path.string(), dialog.field};
}

/// Enters a folder, keeping the focus on the widget used, or opens a file.
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
  if (app.dialog.entries.empty()) wrapped_text(text["shell.dialog.no_files"], measure_text_width());
  ImGui::EndChild();
  ImGui::SameLine();
  ImGui::BeginChild("recent", {0, height}, true);
  group_label(ui, text["shell.dialog.recent"]);
  if (app.settings.recent.empty()) wrapped_text(text["shell.dialog.no_recent"], measure_text_width());
  for (std::size_t i = 0; i < app.settings.recent.size(); ++i) {
    const fs::path path(app.settings.recent[i]);
    ImGui::PushID(static_cast<int>(i));
    if (row(app, "dialog.recent." + std::to_string(i), short_name(path), i == 0)) chosen = path;
    if (ImGui::IsItemHovered()) tooltip(ui, path.string(), last_item_rect());
    ImGui::PopID();
  }
  ImGui::EndChild();
  if (chosen) choose(app, *chosen, focus_is_visible() ? Dialog::Focus::list : Dialog::Focus::none);
}

/// Draws the switch between the files that the view or the field accepts and all files.
void draw_filter(App& app) {
  Dialog& dialog = app.dialog;
  const std::string fitting = "fitting", all = "all";
  std::string shown = dialog.all_files ? all : fitting;
  choice_control(app.ui, choice_field("dialog.files", {fitting, all}, fitting), shown);
  if ((shown == all) == dialog.all_files) return;
  dialog.all_files = shown == all;
  list_folder(app, dialog.folder);
}

void draw_open(App& app, const Rect& screen) {
  Ui& ui = app.ui;
  const Text& text = *ui.text;
  const bool for_field = app.dialog.kind == DialogKind::file, compares = app.dialog.field == kCompared;
  const std::string title =
      for_field
          ? text.format("shell.dialog.choose", {{"field", text["field." + words_key(app.dialog.field) + ".label"]}})
          : text[compares ? "shell.dialog.compare" : "shell.dialog.open"];
  if (!begin_modal(app, "dialog.open", title, screen, {720, 560})) return;
  // In a low window the lists take the place of the hint.
  const bool is_low = ImGui::GetWindowHeight() < ui.px(400);
  if (!for_field && !is_low)
    wrapped_text(text[compares ? "shell.dialog.compare_hint" : "shell.dialog.open_hint"], measure_text_width());
  wrapped_text(text.format("shell.dialog.endings", {{"endings", app.dialog.endings}}), measure_text_width());
  bool go = path_field(app);
  error_line(app);
  draw_filter(app);
  open_lists(app, std::max(ui.px(30), ImGui::GetContentRegionAvail().y - height_above_buttons(ui)));
  if (!for_field && !compares) {
    ImGui::SetCursorPosY(ImGui::GetWindowHeight() - ui.px(48));
    if (button(ui, "dialog.new", text["shell.dialog.new"], true, text["shell.tip.new"])) {
      app.pending = {PendingOpen::Kind::defaults, {}, {}};
      close_modal(app);
    }
  }
  go |= end_buttons(app, "dialog.do_open", text[compares ? "shell.dialog.do_compare" : "shell.dialog.do_open"]);
  const bool still = app.dialog.kind == DialogKind::open || app.dialog.kind == DialogKind::file;
  if (go && still) choose(app, resolve_typed_path(app.dialog), Dialog::Focus::text);
  ImGui::EndPopup();
}

// --- Save ----------------------------------------------------------------------------------------------------------

/// Common sizes; their names are texts.
struct SizePreset {
  const char *name, *size;
};
constexpr SizePreset kSizes[] = {
    {"screen", "1200x800"}, {"slide", "1920x1080"}, {"column", "85x60mm"}, {"columns", "170x110mm"}};

constexpr const char* kAllFigures = "all";  ///< no figure has this name

/// What a format of the dialog saves: figures as a page, one figure as a table, the experiment, or a moving picture.
enum class SaveKind { page, table, experiment, animation };
struct SaveFormat {
  std::string_view name;
  SaveKind kind;
  PageFormat page = PageFormat::png;  ///< of a page
};
constexpr SaveFormat kSaveFormats[] = {
    {"svg", SaveKind::page, PageFormat::svg}, {"pdf", SaveKind::page, PageFormat::pdf},
    {"png", SaveKind::page, PageFormat::png}, {"csv", SaveKind::table},
    {"json", SaveKind::experiment},           {"gif", SaveKind::animation}};

bool saves(SaveKind kind, const std::string& format) {
  return std::any_of(std::begin(kSaveFormats), std::end(kSaveFormats),
                     [&](const SaveFormat& each) { return each.name == format && each.kind == kind; });
}

/// Returns the page of a picture's format; nullopt for others.
std::optional<PageFormat> find_page_format(const std::string& format) {
  for (const SaveFormat& each : kSaveFormats) {
    if (format == each.name && each.kind == SaveKind::page) return each.page;
  }
  return std::nullopt;
}

/// Returns whether a page is painted for this format, with a size and colours; other formats save data.
bool is_painted(const std::string& format) {
  return find_page_format(format) && page_formats().size() > 1;
}

std::string stem_of(const App& app, const std::string& format) {
  if (saves(SaveKind::experiment, format)) return "experiment";
  return saves(SaveKind::table, format) && !app.dialog.figure.empty() ? app.dialog.figure : app.history.current().view;
}

/// Returns the file extension of a format. Experiments have their own, so that desktops distinguish them from other
/// JSON.
std::string ending_of(const std::string& format) {
  return saves(SaveKind::experiment, format) ? "rope.json" : format;
}

/// Returns the absolute path if the current folder exists; else unchanged.
fs::path whole_path(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return error ? path : whole;
}

/// Returns whether the file may be written: it does not exist, or it is of the same kind and the user confirmed its
/// replacement. Else the dialog gives the reason, or asks.
bool may_write(App& app) {
  Dialog& dialog = app.dialog;
  const fs::path path = resolve_typed_path(dialog);
  std::error_code error;
  if (!fs::exists(path, error) || !fs::is_regular_file(path, error)) return true;
  if (dialog.replaces == dialog.path && is_saved_as(path, dialog.format)) return true;
  // Enter removed the focus from the name, in later ImGui versions permanently: further typing must edit the name.
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

void save_now(App& app, const Experiment& experiment) {
  Dialog& dialog = app.dialog;
  try {
    if (dialog.path.empty()) throw InputError(Message("shell.dialog.no_path"));
    if (!may_write(app)) return;
    if (saves(SaveKind::animation, dialog.format)) {
      start_gif(app, experiment, resolve_typed_path(dialog).string());
      app.settings.folder = whole_path(resolve_typed_path(dialog)).parent_path().string();
      return close_modal(app);
    }
    const bool is_experiment = saves(SaveKind::experiment, dialog.format);
    const std::string content =
        is_experiment ? experiment_to_json(experiment) : picture_of(app, dialog.format, dialog.figure);
    const fs::path path = resolve_typed_path(dialog);
    write_file(path, content);
    app.settings.folder = whole_path(path).parent_path().string();
    if (is_experiment) remember_file(app.settings, whole_path(path).string());
    app.messages.push_back({app.text.format("shell.message.saved", {{"path", shown_path(path)}}), false});
    close_modal(app);
  } catch (const InputError& error) {
    dialog.error = app.text.render(error.words());
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
  std::string typed = size;
  if (text_control(ui, text_field("save.size", PageFields().size), typed) == Edit::none) return;
  try {
    parse_page_size(typed);
    size = typed;
    app.dialog.error.clear();
  } catch (const InputError& error) {
    app.dialog.error = app.text.render(error.words());
  }
}

/// Draws the font of a page.
void draw_font(App& app) {
  PageFields& save = app.settings.save;
  if (app.dialog.just_opened || app.dialog.fonts.empty()) app.dialog.fonts = font_families();
  std::vector<ListItem> items{{"sans", app.text["option.save.font.sans"], {}},
                              {"serif", app.text["option.save.font.serif"], {}}};
  for (const std::string& family : app.dialog.fonts) items.push_back({family, family, {}});
  const std::string chosen =
      list_control(app.ui, "save.font", app.text["field.save.font.label"], items, save.font, save.font);
  if (!chosen.empty()) save.font = chosen;
}

/// The controls of pages that not every page has, or that are drawn in another way than others.
struct PageControl {
  std::string_view key;
  bool (*shown)(PageFormat page, const PageFields& save);
  void (*draw)(App& app) = nullptr;  ///< null: as others
};
constexpr PageControl kPageControls[] = {
    {"save.size", [](PageFormat, const PageFields&) { return false; }},  // drawn before the others
    {"save.words", [](PageFormat page, const PageFields&) { return page == PageFormat::svg; }},
    {"save.dpi",
     [](PageFormat page, const PageFields& save) { return page == PageFormat::png && save.size.ends_with("mm"); }},
    {"save.font", [](PageFormat, const PageFields&) { return true; }, draw_font}};

/// Draws the options of pictures in this format, in two columns.
void draw_picture_options(App& app) {
  PageFields& save = app.settings.save;
  const PageFormat page = find_page_format(app.dialog.format).value_or(PageFormat::png);
  if (!ImGui::BeginTable("picture", 2, ImGuiTableFlags_SizingStretchSame)) return;
  ImGui::TableNextColumn();
  draw_size(app);
  FieldList fields = fields_of(save);
  for (Field& field : fields) {
    const auto special = std::find_if(std::begin(kPageControls), std::end(kPageControls),
                                      [&field](const PageControl& each) { return each.key == field.key; });
    const bool is_special = special != std::end(kPageControls);
    if (is_special && !special->shown(page, save)) continue;
    ImGui::TableNextColumn();
    if (is_special && special->draw) {
      special->draw(app);
    } else if (field.kind == Field::Kind::number) {
      double& value = field.as<double>();
      if (number_control(app.ui, field, value, false) == Edit::reset) value = field.initial;
    } else {
      std::string word = field.word();
      choice_control(app.ui, field, word);
      field.set_word(word);
    }
  }
  ImGui::EndTable();
}

void draw_figure_choice(App& app) {
  Dialog& dialog = app.dialog;
  std::vector<ListItem> items;
  if (find_page_format(dialog.format)) items.push_back({kAllFigures, app.text["shell.dialog.all_figures"], {}});
  for (const Panel& panel : app.result.panels) items.push_back({panel.figure.name, panel.figure.y.label, {}});
  if (dialog.figure.empty()) dialog.figure = items.front().id;
  const std::string shown = dialog.figure == kAllFigures ? app.text["shell.dialog.all_figures"] : dialog.figure;
  const std::string chosen =
      list_control(app.ui, "dialog.figure", app.text["shell.dialog.figure"], items, dialog.figure, shown);
  if (!chosen.empty()) dialog.figure = chosen;
}

/// Returns an unused file name: "similarity-1.svg" if "similarity.svg" exists. Saving never replaces a file without
/// confirmation.
std::string free_name(const fs::path& folder, const std::string& stem, const std::string& extension) {
  std::error_code error;
  for (int i = 0; i < 1000; ++i) {
    std::string name = stem;
    if (i > 0) name.append("-").append(std::to_string(i));
    const fs::path path = folder / name.append(".").append(extension);
    if (!fs::exists(path, error)) return shown_path(path);
  }
  return shown_path(folder / (stem + "." + extension));
}

/// Draws everything above the buttons; returns true if Enter confirmed the name.
bool draw_save_choices(App& app) {
  Dialog& dialog = app.dialog;
  Field format = choice_field("dialog.format", save_formats(), page_formats().front());
  if (can_save_gif(app)) format.options.emplace_back("gif");
  const std::string before = dialog.format;
  choice_control(app.ui, format, dialog.format);
  if (dialog.just_opened || before != dialog.format) {
    dialog.path = free_name(dialog.folder, stem_of(app, dialog.format), ending_of(dialog.format));
    dialog.error.clear();
    dialog.figure.clear();
    // The name is selected again, so typing replaces it.
    if (!dialog.just_opened) dialog.focus = Dialog::Focus::text;
  }
  ImGui::TextUnformatted(app.text["shell.dialog.file"].c_str());
  const bool go = path_field(app);
  error_line(app);
  const bool parted = saves_one_figure(dialog.format) || (is_painted(dialog.format) && !are_cells(app.result.panels));
  if (parted && app.result.panels.size() > 1) draw_figure_choice(app);
  if (is_painted(dialog.format)) draw_picture_options(app);
  if (is_painted(dialog.format) && has_ink(app.pen, app.history.current().view)) {
    toggles_control(app.ui, "row.dialog.ink", {toggle_field("dialog.ink", dialog.ink)});
  }
  return go;
}

/// Draws "Cancel" and the button `key` that writes; it is labelled "Replace" after the question. Returns true if
/// pressed.
bool write_buttons(App& app, const char* key) {
  Dialog& dialog = app.dialog;
  // A different name typed after the question needs a new question.
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
  const double height = !is_painted(dialog.format) ? 330 : ink ? 680 : 600;
  if (!begin_modal(app, "dialog.save", app.text["shell.dialog.save"], screen, {640, height})) return;
  ImGui::BeginChild("choices", {0, ImGui::GetContentRegionAvail().y - height_above_buttons(ui)});
  bool go = draw_save_choices(app);
  ImGui::EndChild();
  go |= write_buttons(app, "dialog.do_save");
  if (go && dialog.kind == DialogKind::save) save_now(app, edited);
  ImGui::EndPopup();
}

// --- Handout -------------------------------------------------------------------------------------------------------

constexpr const char *kOneLesson = "one", *kAllLessons = "all";

/// Returns whether a lesson is open that can be printed alone.
bool has_lesson(const App& app) {
  return app.lesson && !app.lesson->lesson.chapter;
}
bool prints_one(const App& app) {
  return has_lesson(app) && app.dialog.lessons == kOneLesson;
}

std::vector<std::string> sources_of(const App& app) {
  if (prints_one(app)) return {app.lesson->source};
  std::vector<std::string> all;
  for (const LessonEntry& entry : list_lessons(app.places.assets)) all.push_back(entry.id);
  return all;
}

/// Starts a handout in the language of the window, written in the background.
void start_handout(App& app) {
  Dialog& dialog = app.dialog;
  try {
    if (dialog.path.empty()) throw InputError(Message("shell.dialog.no_path"));
    if (!may_write(app)) return;
    HandoutOptions options;
    options.paper = parse_paper(dialog.paper);
    options.answers = dialog.answers;
    options.notes = dialog.notes && dialog.handout != HandoutKind::slides;
    const std::filesystem::path path = whole_path(resolve_typed_path(dialog));
    const auto make = [options, sources = sources_of(app), kind = dialog.handout, text = app.text,
                       assets = app.places.assets,
                       folder = path.parent_path()](const std::stop_token& stop, const FileJob::Progress& progress) {
      HandoutOptions own = options;
      own.progress = progress;
      own.stop = stop;
      std::vector<Lesson> lessons;
      for (const std::string& source : sources) {
        lessons.push_back(load_lesson(assets, source, text.language()));
        if (text.formulas()) set_formulas(lessons.back(), *text.formulas(), true);
      }
      Store store(Store::Mode::synchronous, 1);  // the window continues meanwhile
      if (kind == HandoutKind::html) return handout_html(lessons, assets, text, store, own);
      if (kind == HandoutKind::pdf) return handout_pdf(lessons, assets, text, store, own);
      return handout_slides(lessons, assets, text, store, own, [&](const std::string& name, const std::string& gif) {
        write_file(folder / (name + ".gif"), gif);
      });
    };
    app.settings.folder = path.parent_path().string();
    app.file_job = std::make_shared<FileJob>(make, path.string());
    close_modal(app);
  } catch (const InputError& error) {
    dialog.error = app.text.render(error.words());
  }
}

/// Draws everything above the buttons; returns true if Enter confirmed the name.
bool draw_handout_choices(App& app) {
  Dialog& dialog = app.dialog;
  const Dialog before = dialog;
  if (dialog.just_opened) {
    dialog.handout = HandoutKind::pdf;
    dialog.lessons = has_lesson(app) ? kOneLesson : kAllLessons;
  }
  if (has_lesson(app)) {
    choice_control(app.ui, choice_field("dialog.lessons", {kOneLesson, kAllLessons}, kOneLesson), dialog.lessons);
  }
  std::string kind = word_of(dialog.handout);
  choice_control(app.ui, choice_field("dialog.handout_format", {"pdf", "slides", "html"}, "pdf"), kind);
  WordedValue(&dialog.handout).set(kind);
  dialog.format = dialog.handout == HandoutKind::html ? "html" : "pdf";
  if (dialog.handout == HandoutKind::pdf) {
    choice_control(app.ui, choice_field("dialog.paper", {"a4", "letter"}, "a4"), dialog.paper);
  }
  std::vector<Field> toggles = {toggle_field("dialog.answers", dialog.answers)};
  if (dialog.handout != HandoutKind::slides) toggles.push_back(toggle_field("dialog.notes", dialog.notes));
  toggles_control(app.ui, "row.dialog.answers", toggles);
  if (dialog.just_opened || before.handout != dialog.handout || before.lessons != dialog.lessons) {
    const std::string stem = (prints_one(app) ? app.lesson->lesson.id : std::string("rope-lessons")) +
                             (dialog.handout == HandoutKind::slides ? "-slides" : "");
    dialog.path = free_name(dialog.folder, stem, dialog.format);
    dialog.error.clear();
    if (!dialog.just_opened) dialog.focus = Dialog::Focus::text;
  }
  ImGui::TextUnformatted(app.text["shell.dialog.file"].c_str());
  const bool go = path_field(app);
  error_line(app);
  return go;
}

void draw_handout(App& app, const Rect& screen) {
  Ui& ui = app.ui;
  if (!begin_modal(app, "dialog.handout", app.text["shell.dialog.handout"], screen, {560, 470})) return;
  ImGui::BeginChild("choices", {0, ImGui::GetContentRegionAvail().y - height_above_buttons(ui)});
  bool go = draw_handout_choices(app);
  ImGui::EndChild();
  go |= write_buttons(app, "dialog.do_handout");
  if (go && app.dialog.kind == DialogKind::handout) start_handout(app);
  ImGui::EndPopup();
}

// --- Keys ----------------------------------------------------------------------------------------------------------

/// Scrolls a list by keys: it has no focusable items, so they work wherever the focus is.
void scroll_by_keys() {
  const float line = ImGui::GetTextLineHeightWithSpacing(), page = 0.8f * ImGui::GetWindowHeight();
  const auto pressed = [](Key key) { return key_pressed(key) ? 1.0f : 0.0f; };
  const float by =
      line * (pressed(Key::down) - pressed(Key::up)) + page * (pressed(Key::page_down) - pressed(Key::page_up));
  if (by != 0) ImGui::SetScrollY(std::clamp(ImGui::GetScrollY() + by, 0.0f, ImGui::GetScrollMaxY()));
}

}  // namespace

void open_rename_dialog(App& app, std::optional<std::size_t> pin, const std::string& name) {
  open_dialog(app, DialogKind::rename);
  app.dialog.index = pin;
  app.dialog.path = name;
}

void open_note_dialog(App& app, std::optional<std::size_t> index, const Note& note) {
  open_dialog(app, DialogKind::note);
  app.dialog.index = index;
  app.dialog.note = note;
  app.dialog.path = note.text;
}

// --- Open ----------------------------------------------------------------------------------------------------------

void open_dialog(App& app, DialogKind kind) {
  app.dialog = {};
  app.dialog.kind = kind;
  app.dialog.just_opened = true;
  const fs::path folder = starting_folder(app);
  app.dialog.folder = folder;
  app.dialog.format = page_formats().front();
  if (kind == DialogKind::open) {
    const std::string_view of_view = find_view(app.history.current().view).opens;
    app.dialog.endings = ".json .gguf .md .svg .pdf .png" + (of_view.empty() ? "" : " " + std::string(of_view));
    list_folder(app, folder);
    app.dialog.path = (folder / "").string();
  }
}

void open_save_dialog(App& app, const std::string& format, const std::string& figure) {
  open_dialog(app, DialogKind::save);
  app.dialog.format = format;
  app.dialog.figure = figure;
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

void open_requested_dialog(App& app, const Experiment& edited) {
  if (app.pending.kind != PendingOpen::Kind::choose) return;
  const PendingOpen pending = std::exchange(app.pending, {});
  for (const FileField& file : missing_files(edited)) {
    if (file.key == pending.field) return open_file_dialog(app, pending.field, std::string(file.endings), {});
  }
}

// --- Save ----------------------------------------------------------------------------------------------------------

std::vector<std::string> save_formats() {
  std::vector<std::string> all = page_formats();
  all.insert(all.end(), {"csv", "json"});
  return all;
}

void save_directly(App& app, const std::string& format, const std::string& figure) {
  open_save_dialog(app, format, figure);
  app.dialog.path = free_name(app.dialog.folder, stem_of(app, format), ending_of(format));
  save_now(app, app.history.current());
  if (!app.dialog.error.empty()) app.messages.push_back({app.dialog.error});
  app.dialog = {};
}

bool saves_one_figure(const std::string& format) {
  return saves(SaveKind::table, format);
}

std::string picture_of(const App& app, const std::string& format, const std::string& figure) {
  if (!app.result.fault.empty()) throw InputError(app.result.fault);
  if (saves(SaveKind::experiment, format)) return table_json(app.result);
  if (saves_one_figure(format)) {
    for (const Panel& panel : app.result.panels) {
      if (figure.empty() || panel.figure.name == figure) return table_csv(panel.figure, app.result.formulas.get());
    }
    throw InputError("page.no_figure", {{"figure", figure}});
  }
  ViewResult shown = app.result;
  if (!figure.empty() && figure != kAllFigures) {
    std::erase_if(shown.panels, [&figure](const Panel& panel) { return panel.figure.name != figure; });
  }
  if (app.dialog.ink) shown.panels = add_pen_strokes(std::move(shown.panels), app.pen, app.history.current().view);
  PageStyle style = page_style(app.settings);
  if (app.result_of) style.carries = figure_text(*app.result_of);
  return paint_page(shown, find_page_format(format).value_or(PageFormat::png), parse_page_size(app.settings.save.size),
                    style);
}

std::string screen_picture(const App& app, Vec2 size) {
  return paint_page(app.result, PageFormat::png, {size.x, size.y, false}, parse_theme(app.settings.theme));
}

// --- Keys ----------------------------------------------------------------------------------------------------------

void draw_key_list(App& app, const Rect& screen, const std::vector<KeyLine>& lines) {
  Ui& ui = app.ui;
  const Text& text = *ui.text;
  if (!begin_modal(app, "dialog.keys", text["shell.dialog.keys"], screen, {720, 620})) return;
  ImGui::BeginChild("keys", {0, ImGui::GetContentRegionAvail().y - height_above_buttons(ui)});
  scroll_by_keys();
  if (ImGui::BeginTable("keys", 2, ImGuiTableFlags_SizingStretchProp)) {
    ImGui::TableSetupColumn("key", ImGuiTableColumnFlags_WidthFixed, ui.px(290));
    for (const KeyLine& line : lines) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      wrapped_text(line.keys, measure_text_width());
      ImGui::TableNextColumn();
      wrapped_text(line.meaning, measure_text_width());
    }
    ImGui::EndTable();
  }
  ImGui::EndChild();
  place_at_bottom_right(ui, button_width(ui, text["shell.dialog.close"]));
  if (button(ui, "dialog.close", text["shell.dialog.close"])) close_modal(app);
  ImGui::EndPopup();
}

void draw_dialog_of_file(App& app, const Rect& screen, Experiment& edited) {
  switch (app.dialog.kind) {
    case DialogKind::none:
    case DialogKind::start:
    case DialogKind::keys:
    case DialogKind::find:
      return;
    case DialogKind::open:
    case DialogKind::file:
      return draw_open(app, screen);
    case DialogKind::save:
      return draw_save(app, screen, edited);
    case DialogKind::handout:
      return draw_handout(app, screen);
    case DialogKind::rename:
      return draw_rename(app, screen, edited);
    case DialogKind::note:
      return draw_note(app, screen, edited);
  }
}

}  // namespace ropescope::ui
