// Declares every key once, for what it does and for the list of Shift+F1, and draws the finder.
//
// Contents: Keys; Finder.

#include "app/ui/finder.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

#include "app/ui/app.h"
#include "app/ui/controls.h"
#include "app/ui/dialogs.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/drawing/style.h"
#include "app/ui/plot.h"
#include "app/ui/shell.h"
#include "app/ui/state.h"

namespace ropescope::ui {

// --- Keys ----------------------------------------------------------------------------------------------------------

namespace {

enum class Modifier { none, shift, control, control_shift };

struct Binding {
  Modifier modifier;
  Key key;
  const char* name;  ///< as printed in the list
  const char* text;  ///< key of its meaning; the same text twice is one line in the list
  void (*act)(App&, Experiment&);
};

void change_text_size(App& app, double percent) {
  app.settings.text_scale = std::clamp(percent, kSmallestText, kLargestText);
  app.requests.rebuild_fonts = true;
}

/// Undo and redo act on the history itself; the experiment of this frame then follows it.
void step_history(App& app, Experiment& edited, void (History::*step)()) {
  app.history.seal();
  (app.history.*step)();
  edited = app.history.current();
}

/// The field that is swept, else what the view plays.
void toggle_play(App& app, Experiment& edited) {
  FieldSweep& sweep = app.ui.sweep;
  if (!sweep.key.empty() && (sweep.focused || !focus_is_visible())) {
    sweep.held = !sweep.held;
    return;
  }
  if (focus_is_visible()) return;  // Space presses what has the focus
  const Player* player = player_of(edited);
  if (player) player->play(edited, !player->playing(edited));
}

void step_play(Experiment& edited, int steps) {
  const Player* player = player_of(edited);
  if (player && !player->playing(edited)) player->step(edited, steps);
}

void step_view(Experiment& edited, int steps) {
  const auto views = all_views();
  const auto count = static_cast<int>(views.size());
  for (int i = 0; i < count; ++i) {
    if (views[static_cast<std::size_t>(i)]->id != edited.view) continue;
    edited.view = views[static_cast<std::size_t>((i + steps + count) % count)]->id;
    return;
  }
}

void turn_page(App& app, int steps) {
  const auto count = static_cast<int>(app.plot.pages);
  app.plot.page = static_cast<std::size_t>((static_cast<int>(app.plot.page) + steps + count) % count);
}

/// The pen or a sweep ends; else the last thing that was unfolded is folded; where nothing is, what takes long stops.
void step_back(App& app) {
  if (std::exchange(app.pen.on, false)) return;
  if (!app.ui.sweep.key.empty()) {
    hide_focus();  // ImGui shows it at Escape; Space would then press what has it, and not play
    return app.ui.sweep.end();
  }
  if (std::exchange(app.cards_open, false) || std::exchange(app.drawer_open, false)) return;
  if (std::exchange(app.figure_alone, false)) return;
  if (stop_file_job(app)) return;
  app.stopped = app.result.stale;
}

// Each key once: this table both reacts and fills the list of Shift+F1.
constexpr double kTextStep = 10;
constexpr Binding kBindings[] = {
    {Modifier::none, Key::f1, "F1", "key.handbook", [](App& app, Experiment&) { open_handbook(app); }},
    {Modifier::shift, Key::f1, "Shift+F1", "key.keys",
     [](App& app, Experiment&) { open_dialog(app, DialogKind::keys); }},
    {Modifier::control, Key::n, "Ctrl+N", "key.new",
     [](App& app, Experiment&) {
       app.pending = {PendingOpen::Kind::defaults, {}, {}};
     }},
    {Modifier::control, Key::o, "Ctrl+O", "key.open",
     [](App& app, Experiment&) { open_dialog(app, DialogKind::open); }},
    {Modifier::control_shift, Key::o, "Ctrl+Shift+O", "key.compare",
     [](App& app, Experiment&) { open_compare_dialog(app); }},
    {Modifier::control, Key::s, "Ctrl+S", "key.save",
     [](App& app, Experiment&) { open_dialog(app, DialogKind::save); }},
    {Modifier::control, Key::p, "Ctrl+P", "key.handout",
     [](App& app, Experiment&) { open_dialog(app, DialogKind::handout); }},
    {Modifier::control, Key::z, "Ctrl+Z", "key.undo",
     [](App& app, Experiment& e) { step_history(app, e, &History::undo); }},
    {Modifier::control, Key::y, "Ctrl+Y", "key.redo",
     [](App& app, Experiment& e) { step_history(app, e, &History::redo); }},
    {Modifier::control_shift, Key::z, "Ctrl+Shift+Z", "key.redo",
     [](App& app, Experiment& e) { step_history(app, e, &History::redo); }},
    {Modifier::none, Key::p, "P", "key.pin",
     [](App& app, Experiment& e) { app.pin_requested = find_view(e.view).compares_ropes; }},
    {Modifier::control, Key::k, "Ctrl+K", "key.find",
     [](App& app, Experiment&) { open_dialog(app, DialogKind::find); }},
    {Modifier::control, Key::page_down, "Ctrl+Page Down", "key.next_view",
     [](App&, Experiment& e) { step_view(e, 1); }},
    {Modifier::control, Key::page_up, "Ctrl+Page Up", "key.previous_view",
     [](App&, Experiment& e) { step_view(e, -1); }},
    {Modifier::none, Key::home, "Home", "key.fit",
     [](App& app, Experiment& e) {
       for (const Panel& panel : app.result.panels) fit_axes(e, panel.figure);
     }},
    {Modifier::none, Key::f, "F", "key.alone", [](App& app, Experiment&) { app.figure_alone = !app.figure_alone; }},
    {Modifier::none, Key::l, "L", "key.pointer", [](App& app, Experiment&) { next_pointer_mark(app); }},
    {Modifier::none, Key::d, "D", "key.pen", [](App& app, Experiment&) { app.pen.on = !app.pen.on; }},
    {Modifier::none, Key::f11, "F11", "key.full_screen",
     [](App& app, Experiment&) { app.requests.toggle_full_screen = true; }},
    {Modifier::none, Key::f5, "F5", "key.room", [](App& app, Experiment&) { toggle_room(app); }},
    {Modifier::control_shift, Key::a, "Ctrl+Shift+A", "key.add_step",
     [](App& app, Experiment&) { add_step_to_lecture(app); }},
    {Modifier::none, Key::c, "C", "key.cards", [](App& app, Experiment&) { app.cards_open = !app.cards_open; }},
    {Modifier::none, Key::left_bracket, "[", "key.previous_page", [](App& app, Experiment&) { turn_page(app, -1); }},
    {Modifier::none, Key::right_bracket, "]", "key.next_page", [](App& app, Experiment&) { turn_page(app, 1); }},
    {Modifier::none, Key::t, "T", "key.theme",
     [](App& app, Experiment&) { app.settings.theme = app.settings.theme == "dark" ? "light" : "dark"; }},
    {Modifier::none, Key::b, "B", "key.controls", [](App& app, Experiment&) { app.fold_requested = true; }},
    {Modifier::control, Key::equal, "Ctrl +", "key.larger",
     [](App& app, Experiment&) { change_text_size(app, app.settings.text_scale + kTextStep); }},
    {Modifier::control, Key::keypad_add, "", "key.larger",
     [](App& app, Experiment&) { change_text_size(app, app.settings.text_scale + kTextStep); }},
    {Modifier::control, Key::minus, "Ctrl −", "key.smaller",
     [](App& app, Experiment&) { change_text_size(app, app.settings.text_scale - kTextStep); }},
    {Modifier::control, Key::keypad_subtract, "", "key.smaller",
     [](App& app, Experiment&) { change_text_size(app, app.settings.text_scale - kTextStep); }},
    {Modifier::control, Key::digit_0, "Ctrl+0", "key.normal",
     [](App& app, Experiment&) { change_text_size(app, 100); }},
    {Modifier::none, Key::space, "Space", "key.play", toggle_play},
    {Modifier::none, Key::comma, ",", "key.step_back", [](App&, Experiment& e) { step_play(e, -1); }},
    {Modifier::none, Key::period, ".", "key.step", [](App&, Experiment& e) { step_play(e, 1); }},
    {Modifier::none, Key::escape, "Esc", "key.stop", [](App& app, Experiment&) { step_back(app); }},
    {Modifier::control, Key::q, "Ctrl+Q", "key.quit", [](App& app, Experiment&) { app.requests.quit = true; }},
};

/// Steps go on while their key is held; what is switched on and off is switched once, however long a frame takes.
bool repeats(Key key) {
  constexpr Key kSteps[] = {
      Key::z,     Key::y,     Key::comma,      Key::period,          Key::page_up,      Key::page_down,
      Key::equal, Key::minus, Key::keypad_add, Key::keypad_subtract, Key::left_bracket, Key::right_bracket};
  return std::find(std::begin(kSteps), std::end(kSteps), key) != std::end(kSteps);
}

bool matches(const Binding& binding) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool control = binding.modifier >= Modifier::control;
  const bool shift = binding.modifier == Modifier::shift || binding.modifier == Modifier::control_shift;
  // "+" is Shift and "=" on many keyboards, so Shift does not matter to the text size.
  const bool shift_matters = binding.key != Key::equal;
  return key_pressed(binding.key, repeats(binding.key)) && io.KeyCtrl == control && !io.KeyAlt &&
         (!shift_matters || io.KeyShift == shift);
}

void go_to_view(Experiment& edited) {
  const auto views = all_views();
  for (std::size_t i = 0; i < views.size() && i < 10; ++i) {
    const Key digit = static_cast<Key>(static_cast<int>(Key::digit_0) + static_cast<int>((i + 1) % 10));
    if (key_pressed(digit)) edited.view = views[i]->id;
  }
}

/// What a key does, to be found by its name: the key of its meaning and its first key as printed.
struct Command {
  std::string text, keys;
};

std::vector<Command> key_commands() {
  std::vector<Command> commands;
  for (const Binding& binding : kBindings) {
    const bool known = std::any_of(commands.begin(), commands.end(),
                                   [&](const Command& command) { return command.text == binding.text; });
    if (!known) commands.push_back({binding.text, binding.name});
  }
  return commands;
}

/// Does what the key with this meaning does.
void act_by_text(App& app, Experiment& edited, std::string_view text) {
  for (const Binding& binding : kBindings) {
    if (text == binding.text) return binding.act(app, edited);
  }
}

}  // namespace

void handle_keys(App& app, Experiment& edited) {
  // While text is typed, letters are text; while a dialog is open, it has the keys.
  if (app.dialog.kind != DialogKind::none || ImGui::GetIO().WantTextInput) return;
  if (handle_pen_keys(app)) return;
  if (handle_lesson_keys(app, app.lesson_focused)) {
    edited = app.history.current();
    return;
  }
  for (const Binding& binding : kBindings) {
    if (matches(binding)) binding.act(app, edited);
  }
  if (!ImGui::GetIO().KeyCtrl) go_to_view(edited);
}

std::vector<KeyLine> key_lines(const Text& text) {
  std::vector<KeyLine> lines;
  for (const Binding& binding : kBindings) {
    const std::string& meaning = text[binding.text];
    const auto same =
        std::find_if(lines.begin(), lines.end(), [&](const KeyLine& line) { return line.meaning == meaning; });
    if (same == lines.end()) {
      lines.push_back({binding.name, meaning});
    } else if (*binding.name) {
      same->keys += std::string(", ") + binding.name;
    }
  }
  // What the widgets and plots react to by themselves.
  for (const char* id :
       {"view",   "tab",           "arrows",      "space",     "sweep",     "speed", "field_menu", "ink",
        "lesson", "lesson_answer", "plot_keys",   "plot_menu", "drag",      "click", "wheel",      "box",
        "double", "right",         "click_value", "chip",      "chip_menu", "card",  "drop",       "flip"}) {
    lines.push_back({text["mouse." + std::string(id)], text["key." + std::string(id)]});
  }
  return lines;
}

// --- Finder --------------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kMostShown = 60;

/// Something to go to or to do, and the words it is found by.
struct FinderFound {
  enum class Kind { view, field, preset, command, step };
  Kind kind;
  std::string id;      ///< of the view, field, preset or step, or the command's text
  std::string view;    ///< field: a view that has it; step: its lesson
  std::string label;   ///< in the present language
  std::string detail;  ///< what it is, at the right
};

std::vector<FinderFound> everything(const App& app, const Experiment& experiment) {
  const Text& text = app.text;
  std::vector<FinderFound> all;
  for (const View* view : all_views()) {
    const std::string id(view->id);
    all.push_back({FinderFound::Kind::view, id, id, text["view." + id + ".name"], text["shell.find.view"]});
  }
  // The fields of the shown view come first, so that a field of several views counts as one of this view.
  std::vector<const View*> views{&find_view(experiment.view)};
  for (const View* view : all_views()) {
    if (view->id != experiment.view) views.push_back(view);
  }
  std::set<std::string> seen;
  for (const View* view : views) {
    Experiment shown = experiment;
    shown.view = view->id;
    const std::string name = text["view." + std::string(view->id) + ".name"];
    for (const std::string& key : keys_of_controls(fields_of(*view, shown))) {
      if (seen.insert(key).second) {
        all.push_back({FinderFound::Kind::field, key, std::string(view->id), text["field." + key + ".label"], name});
      }
    }
  }
  for (const Preset& preset : app.presets) {
    all.push_back({FinderFound::Kind::preset, preset.id, {}, preset.name, text["shell.find.preset"]});
  }
  for (const LessonTitle& lesson : app.lesson_titles) {
    if (!lesson.chapter && !lesson.steps.empty()) {
      all.push_back({FinderFound::Kind::step, lesson.steps.front().name, lesson.id, lesson.numbered(),
                     text["shell.find.lesson"]});
    }
    for (const LessonTitle::Step& step : lesson.steps) {
      if (!lesson.chapter) all.push_back({FinderFound::Kind::step, step.name, lesson.id, step.title, lesson.title});
    }
  }
  for (const Command& command : key_commands()) {
    all.push_back({FinderFound::Kind::command, command.text, {}, text[command.text], command.keys});
  }
  for (const LessonTitle& chapter : app.lesson_titles) {
    for (const LessonTitle::Step& step : chapter.steps) {
      if (!chapter.chapter) continue;
      const bool whole = &step == &chapter.steps.front();
      all.push_back({FinderFound::Kind::step, step.name, chapter.id, step.title,
                     whole ? text["shell.find.chapter"] : chapter.title});
    }
  }
  return all;
}

/// How well the words are found, the less the better; nothing where one of them is missing. Names count before ids.
std::optional<int> rank(const FinderFound& found, const std::string& typed) {
  const std::string label = lower_ascii(found.label), whole = label + " " + lower_ascii(found.id + " " + found.detail);
  int rank = 0;
  for (std::size_t at = 0; at < typed.size();) {
    const std::size_t end = std::min(typed.find(' ', at), typed.size());
    const std::string word = typed.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    const std::size_t place = whole.find(word);
    if (place == std::string::npos) return std::nullopt;
    rank += place == 0 ? 0 : place < label.size() ? (whole[place - 1] == ' ' ? 1 : 2) : 4;
  }
  return rank;
}

std::vector<FinderFound> matching(const App& app, const Experiment& experiment) {
  const std::string typed = lower_ascii(app.dialog.path);
  std::vector<std::pair<int, FinderFound>> ranked;
  for (FinderFound& found : everything(app, experiment)) {
    if (const auto how = rank(found, typed)) ranked.emplace_back(*how, std::move(found));
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<FinderFound> result;
  for (auto& [how, found] : ranked) {
    if (result.size() < kMostShown) result.push_back(std::move(found));
  }
  return result;
}

void go(App& app, const FinderFound& found, Experiment& edited) {
  close_modal(app);
  if (found.kind == FinderFound::Kind::view) edited.view = found.id;
  if (found.kind == FinderFound::Kind::preset) app.pending = {PendingOpen::Kind::preset, found.id};
  if (found.kind == FinderFound::Kind::field) {
    edited.view = found.view;
    app.figure_alone = false;
    app.drawer_open = app.settings.controls_open = true;
    app.ui.state.focus_key = found.id;
  }
  if (found.kind == FinderFound::Kind::step) {
    open_lesson(app, found.view, found.id);
    edited = app.history.current();
  }
  if (found.kind == FinderFound::Kind::command) act_by_text(app, edited, found.id);
}

/// One line: label at the left, what it is at the right. True where it was chosen.
bool draw_row_finder(App& app, const FinderFound& found, std::size_t index, bool selected) {
  Ui& ui = app.ui;
  const Column column = enter_column();
  const double height = ui.px(30), pad = ui.px(10);
  const Rect rect = rect_at(column.origin, column.width, height);
  const Press press = mouse_area(ui, "find." + std::to_string(index), rect);
  if (selected || press.hovered) fill_rect(rect, selected ? ui.palette.raised : ui.palette.panel, ui.px(5));
  const double centre = rect.top + height / 2;
  const double detail = std::min<double>(text_width(ui.fonts.small, found.detail), 0.4 * column.width);
  draw_line_within({ui.fonts.body, ui.palette.text, rect.left + pad, centre}, column.width - detail - 3 * pad, 0,
                   found.label);
  draw_line_within({ui.fonts.small, ui.palette.secondary, rect.right() - pad - detail, centre}, detail, 1,
                   found.detail);
  column.leave(height);
  if (selected && ImGui::IsWindowAppearing()) ImGui::SetScrollHereY();
  return press.clicked;
}

}  // namespace

void draw_finder(App& app, const Rect& screen, Experiment& edited) {
  Ui& ui = app.ui;
  Dialog& dialog = app.dialog;
  if (!begin_modal(app, "dialog.find", app.text["shell.find.title"], screen, {620, 480})) return;
  load_lesson_titles(app);
  const std::string before = dialog.path;
  const bool entered = text_input(ui, "dialog.find.text", dialog.path, dialog.just_opened);
  if (dialog.path != before) dialog.row = 0;
  const std::vector<FinderFound> found = matching(app, edited);
  const int step = (key_pressed(Key::down) ? 1 : 0) - (key_pressed(Key::up) ? 1 : 0);
  const int last = static_cast<int>(found.size()) - 1;
  dialog.row = std::clamp(dialog.row + step, 0, std::max(0, last));
  ImGui::BeginChild("found");
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, ui.px(2)});
  std::optional<std::size_t> chosen;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool selected = static_cast<int>(i) == dialog.row;
    if (draw_row_finder(app, found[i], i, selected)) chosen = i;
    if (selected && step != 0) ImGui::SetScrollHereY(0.5f);
  }
  if (found.empty())
    wrapped_text(app.text["shell.find.nothing"], static_cast<double>(ImGui::GetContentRegionAvail().x));
  ImGui::PopStyleVar();
  ImGui::EndChild();
  if (entered && !found.empty()) chosen = static_cast<std::size_t>(dialog.row);
  if (chosen) go(app, found[*chosen], edited);
  ImGui::EndPopup();
}

}  // namespace ropescope::ui
