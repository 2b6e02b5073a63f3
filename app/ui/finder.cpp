// The table of all keys, for their actions and for the list of Shift+F1, and the finder.
//
// Contents: Keys; Search; Finder.

#include "app/ui/finder.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <tuple>
#include <utility>

#include "app/experiment/fields.h"
#include "app/figure/pages/page.h"
#include "app/ui/app.h"
#include "app/ui/check_start.h"
#include "app/ui/control_panel.h"
#include "app/ui/controls.h"
#include "app/ui/dialogs.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/drawing/style.h"
#include "app/ui/lesson/lesson_play.h"
#include "app/ui/lesson/presentation.h"
#include "app/ui/opening.h"
#include "app/ui/pen.h"
#include "app/ui/plot.h"
#include "app/ui/state.h"
#include "app/ui/sweep_lists.h"
#include "app/ui/widgets.h"
#include "app/views/views.h"
#include "core/utf8.h"

namespace ropescope::ui {

// --- Keys ----------------------------------------------------------------------------------------------------------

namespace {

enum class Modifier { none, shift, control, control_shift };

struct Binding {
  Modifier modifier;
  Key key;
  const char* name;  ///< as printed in the list
  const char* text;  ///< key of its meaning; entries with equal text share a line in the list
  void (*act)(App&, Experiment&);
  bool (*possible)() = nullptr;  ///< null: always
};

void change_text_size(App& app, double percent) {
  app.settings.text_scale = std::clamp(percent, kSmallestText, kLargestText);
  app.requests.rebuild_fonts = true;
}

void set_contrast(App& app, bool more) {
  app.settings.contrast = more;
  apply_theme(app);
}

/// Starts or stops the swept field, else the view's player.
void toggle_play(App& app, Experiment& edited) {
  FieldSweep& sweep = app.ui.sweep;
  if (!sweep.key.empty() && (sweep.focused || !focus_is_visible())) {
    sweep.held = !sweep.held;
    return;
  }
  if (focus_is_visible()) return;  // Space presses what has the focus
  const Player* player = find_player(edited);
  if (player) player->play(edited, !player->playing(edited));
}

void step_play(Experiment& edited, int steps) {
  const Player* player = find_player(edited);
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

/// Ends the pen or a sweep; else collapses what was expanded last; else cancels a long computation.
void step_back(App& app) {
  if (std::exchange(app.pen.on, false)) return;
  if (!app.ui.sweep.key.empty()) {
    hide_focus();  // ImGui shows it at Escape; Space would then press the focused item instead of playing
    return app.ui.sweep.end();
  }
  if (std::exchange(app.cards_open, false) || std::exchange(app.drawer_open, false)) return;
  if (std::exchange(app.figure_alone, false)) return;
  if (stop_file_job(app)) return;
  app.stopped = app.result.stale;
}

// Each key once: this table both handles keys and fills the list of Shift+F1.
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
     [](App& app, Experiment&) {
       if (writes_paper()) open_dialog(app, DialogKind::handout);
     },
     writes_paper},
    {Modifier::control, Key::z, "Ctrl+Z", "key.undo",
     [](App& app, Experiment& e) { step_history(app, e, &History::undo); }},
    {Modifier::control, Key::y, "Ctrl+Y", "key.redo",
     [](App& app, Experiment& e) { step_history(app, e, &History::redo); }},
    {Modifier::control_shift, Key::z, "Ctrl+Shift+Z", "key.redo",
     [](App& app, Experiment& e) { step_history(app, e, &History::redo); }},
    {Modifier::none, Key::p, "P", "key.pin",
     [](App& app, Experiment& e) { app.pin_requested = find_view(e.view).compares_ropes; }},
    {Modifier::control, Key::k, "Ctrl+K", "key.find",
     [](App& app, Experiment&) { open_finder(app, Dialog::Scope::all); }},
    {Modifier::control, Key::page_down, "Ctrl+Page Down", "key.next_view",
     [](App&, Experiment& e) { step_view(e, 1); }},
    {Modifier::control, Key::page_up, "Ctrl+Page Up", "key.previous_view",
     [](App&, Experiment& e) { step_view(e, -1); }},
    {Modifier::none, Key::home, "Home", "key.fit",
     [](App& app, Experiment& e) {
       for (const Panel& panel : app.result.panels) fit_axes(e, panel.figure);
     }},
    {Modifier::none, Key::f, "F", "key.alone", [](App& app, Experiment&) { app.figure_alone = !app.figure_alone; }},
    {Modifier::none, Key::l, "L", "key.pointer", [](App& app, Experiment&) { cycle_pointer_style(app); }},
    {Modifier::none, Key::d, "D", "key.pen", [](App& app, Experiment&) { app.pen.on = !app.pen.on; }},
    {Modifier::none, Key::f11, "F11", "key.full_screen",
     [](App& app, Experiment&) { app.requests.toggle_full_screen = true; }},
    {Modifier::none, Key::f5, "F5", "key.room", [](App& app, Experiment&) { toggle_presentation(app); }},
    {Modifier::control_shift, Key::a, "Ctrl+Shift+A", "key.add_step",
     [](App& app, Experiment&) { add_step_to_lecture(app); }},
    {Modifier::none, Key::c, "C", "key.cards", [](App& app, Experiment&) { app.cards_open = !app.cards_open; }},
    {Modifier::none, Key::left_bracket, "[", "key.previous_page", [](App& app, Experiment&) { turn_page(app, -1); }},
    {Modifier::none, Key::right_bracket, "]", "key.next_page", [](App& app, Experiment&) { turn_page(app, 1); }},
    {Modifier::none, Key::t, "T", "key.theme", [](App& app, Experiment&) { toggle_theme(app); }},
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

/// Returns whether an action repeats while its key is held; toggles switch once, however long a frame takes.
bool repeats(Key key) {
  constexpr Key kSteps[] = {
      Key::z,     Key::y,     Key::comma,      Key::period,          Key::page_up,      Key::page_down,
      Key::equal, Key::minus, Key::keypad_add, Key::keypad_subtract, Key::left_bracket, Key::right_bracket};
  return std::find(std::begin(kSteps), std::end(kSteps), key) != std::end(kSteps);
}

bool is_chosen_by(const Binding& binding, bool control_held, bool shift_held) {
  const bool control = binding.modifier >= Modifier::control;
  const bool shift = binding.modifier == Modifier::shift || binding.modifier == Modifier::control_shift;
  // "+" is Shift and "=" on many keyboards, so Shift is ignored for the text size.
  const bool shift_matters = binding.key != Key::equal;
  return control_held == control && (!shift_matters || shift_held == shift);
}

bool matches(const Binding& binding) {
  const ImGuiIO& io = ImGui::GetIO();
  return key_pressed(binding.key, repeats(binding.key)) && !io.KeyAlt && is_chosen_by(binding, io.KeyCtrl, io.KeyShift);
}

void go_to_view(Experiment& edited) {
  const auto views = all_views();
  for (std::size_t i = 0; i < views.size() && i < 10; ++i) {
    const Key digit = static_cast<Key>(static_cast<int>(Key::digit_0) + static_cast<int>((i + 1) % 10));
    if (key_pressed(digit)) edited.view = views[i]->id;
  }
}

/// An action of the finder that has no key. Its text is its name.
struct Action {
  const char* text;
  void (*act)(App&, Experiment&);
  bool (*possible)(const App&) = nullptr;  ///< null: always
};

bool saves_as(const std::string& format) {
  const std::vector<std::string> formats = page_formats();
  return std::find(formats.begin(), formats.end(), format) != formats.end();
}

constexpr Action kActions[] = {
    {"shell.start.name", [](App& app, Experiment&) { open_dialog(app, DialogKind::start); }},
    {"shell.menu.save_svg", [](App& app, Experiment&) { open_save_dialog(app, "svg"); },
     [](const App&) { return saves_as("svg"); }},
    {"shell.menu.save_pdf", [](App& app, Experiment&) { open_save_dialog(app, "pdf"); },
     [](const App&) { return saves_as("pdf"); }},
    {"shell.menu.save_png", [](App& app, Experiment&) { open_save_dialog(app, "png"); }},
    {"shell.menu.save_csv", [](App& app, Experiment&) { open_save_dialog(app, "csv"); }},
    {"shell.menu.copy_link",
     [](App& app, Experiment& e) { app.requests.clipboard_text = view_link(e, link_address(app.settings)); }},
    {"shell.menu.copy_command",
     [](App& app, Experiment& e) { app.requests.clipboard_text = command_line_of(e, app.settings); }},
    {"lesson.list",
     [](App& app, Experiment&) {
       app.lessons_listed = true;
       app.chapters_listed = false;
     }},
    {"handbook.list", [](App& app, Experiment&) { app.lessons_listed = app.chapters_listed = true; }},
    {"lesson.motion_on", [](App& app, Experiment&) { app.settings.motion = false; },
     [](const App& app) { return app.settings.motion; }},
    {"lesson.motion_off", [](App& app, Experiment&) { app.settings.motion = true; },
     [](const App& app) { return !app.settings.motion; }},
    {"shell.contrast_on", [](App& app, Experiment&) { set_contrast(app, false); },
     [](const App& app) { return app.settings.contrast; }},
    {"shell.contrast_off", [](App& app, Experiment&) { set_contrast(app, true); },
     [](const App& app) { return !app.settings.contrast; }},
};

/// A command for search by name: the key of its meaning and its first key as printed.
struct Command {
  std::string text, keys;
};

std::vector<Command> list_commands(const App& app) {
  std::vector<Command> commands{{kActions[0].text, {}}};  // before "Start from the defaults"
  for (const Binding& binding : kBindings) {
    const bool known = std::any_of(commands.begin(), commands.end(),
                                   [&](const Command& command) { return command.text == binding.text; });
    if (!known && (!binding.possible || binding.possible())) commands.push_back({binding.text, binding.name});
  }
  for (const Action& action : kActions) {
    if (&action != kActions && (!action.possible || action.possible(app))) commands.push_back({action.text, {}});
  }
  return commands;
}

/// Runs the action of the key, or without a key, with this meaning.
void act_by_text(App& app, Experiment& edited, std::string_view text) {
  for (const Binding& binding : kBindings) {
    if (text == binding.text) return binding.act(app, edited);
  }
  for (const Action& action : kActions) {
    if (text == action.text) return action.act(app, edited);
  }
}

// --- Search --------------------------------------------------------------------------------------------------------

constexpr int kPart = 4, kTypingError = 10, kLettersMissing = 12;
constexpr std::size_t kLeastForError = 4, kLeastForMissing = 3, kLeastForJoined = 6;

/// Returns whether a character belongs to a word: letters, digits, and "_" and "." as in rope_theta and 3.1.
bool is_in_word(std::string_view character) {
  if (character.size() > 1) {
    // Spaces, dashes and the ellipsis of U+2000 to U+206F, CJK punctuation, no-break space and middle dot.
    return !character.starts_with("\u00A0") && !character.starts_with("\u00B7") && !character.starts_with("\xE2\x80") &&
           !character.starts_with("\xE2\x81") && !character.starts_with("\xE3\x80");
  }
  return std::isalnum(static_cast<unsigned char>(character[0])) != 0 || character[0] == '_' || character[0] == '.';
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words(1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = next_character(text, at);
    const std::string_view character = text.substr(at, next - at);
    at = next;
    if (is_in_word(character)) {
      words.back() += character;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// Returns whether the start of a word becomes the typed one by one wrong, missing, added or swapped letter.
bool has_one_error(std::string_view typed, std::string_view word) {
  const auto first_differs = std::mismatch(typed.begin(), typed.end(), word.begin(), word.end()).first;
  const auto at = static_cast<std::size_t>(first_differs - typed.begin());
  const auto rest = [](std::string_view text, std::size_t from) { return text.substr(std::min(from, text.size())); };
  const std::string_view after = rest(typed, at + 1), left = rest(word, at);
  if (rest(word, at + 1).starts_with(after) || left.starts_with(after)) return true;
  if (rest(word, at + 1).starts_with(rest(typed, at))) return true;
  const bool swapped = left.size() > 1 && !after.empty() && typed[at] == left[1] && after[0] == left[0];
  return swapped && rest(word, at + 2).starts_with(rest(typed, at + 2));
}

/// Returns whether the typed letters are in the word in this order, the first one at its start.
bool has_letters(std::string_view typed, std::string_view word) {
  if (word.empty() || typed.front() != word.front()) return false;
  std::size_t found = 0;
  for (const char letter : word) found += found < typed.size() && typed[found] == letter ? 1 : 0;
  return found == typed.size();
}

std::string joined_words(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += word;
  std::erase(all, '_');
  return all;
}

/// Returns the rank of one typed word among the words of a label (`more` 0) or of the synonyms (1); nullopt if it is in
/// none.
std::optional<int> rank_in(const std::string& typed, const std::vector<std::string>& words, int more,
                           Spelling spelling) {
  std::optional<int> best;
  const auto improve = [&best](int rank) { best = std::min(best.value_or(rank), rank); };
  const bool plain = is_ascii(typed);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == typed) improve(i == 0 && more == 0 ? 0 : 1);
    if (word.starts_with(typed)) improve(2 + more);
    if ((typed.size() > 1 || !plain) && word.find(typed) != std::string::npos) improve(kPart + more);
    if (spelling == Spelling::exact || !plain) continue;
    if (typed.size() >= kLeastForError && has_one_error(typed, word)) improve(kTypingError + more);
    if (typed.size() >= kLeastForMissing && has_letters(typed, word)) improve(kLettersMissing + more);
  }
  // "trainedlength", and names in scripts without spaces.
  if (!best && typed.size() >= kLeastForJoined &&
      joined_words(words).find(joined_words({typed})) != std::string::npos) {
    improve(kPart + more);
  }
  return best;
}

// --- Finder --------------------------------------------------------------------------------------------------------

constexpr std::size_t kMaxShownResults = 60;
constexpr int kResultsPerPage = 8;
constexpr int kSectionRank = 3;  ///< added for chapters and their sections: what they explain is before them

/// A search result: a target or an action, and its search words.
struct SearchResult {
  enum class Kind { view, field, preset, recent, example, command, language, section, lesson, step };
  Kind kind;
  std::string id;          ///< of the view, field, preset or step; the command's text; a path; a language's code
  std::string view;        ///< field: its view; step: its lesson
  std::string label;       ///< in the current language
  std::string detail;      ///< its kind, on the right
  std::string words = {};  ///< other words for it
  std::vector<std::string> options = {};  ///< field: as displayed
};
using Results = std::vector<SearchResult>;

/// Returns the synonyms of something in the current language, its id among them.
std::string find_words(const Text& text, const std::string& key, std::string id) {
  std::replace(id.begin(), id.end(), '.', ' ');
  const std::string words = "shell.find.words." + key;
  return text.has(words) ? text[words] + " " + id : id;
}

/// Adds the fields with a control. Those of the current view come first, so that a field of several views counts as one
/// of this view.
void add_field_results(Results& all, const Text& text, const Experiment& experiment) {
  std::vector<const View*> views{&find_view(experiment.view)};
  for (const View* view : all_views()) {
    if (view->id != experiment.view) views.push_back(view);
  }
  std::set<std::string> seen;
  for (const View* view : views) {
    Experiment shown = experiment;
    shown.view = view->id;
    const std::string name = text["view." + std::string(view->id) + ".name"];
    for (const Field& field : fields_of(*view, std::as_const(shown))) {
      const std::string key(field.key);
      if (!field.has_value() || !field.control || !seen.insert(key).second) continue;
      std::string words = find_words(text, "field." + words_key(key), key);
      std::vector<std::string> options;
      for (const std::string& option : field.options) {
        const std::string label = label_key(field, option);
        options.push_back(text.has(label) ? text[label] : option);
        words.append(" ").append(option).append(" ").append(options.back());
      }
      all.push_back({SearchResult::Kind::field, key, std::string(view->id), text["field." + words_key(key) + ".label"],
                     name, std::move(words), std::move(options)});
    }
  }
}

void add_model_results(Results& all, const App& app) {
  for (const std::string& path : app.settings.recent) {
    all.push_back({SearchResult::Kind::recent, path, {}, short_name(path), app.text["shell.find.recent"], path});
  }
  for (const Preset& preset : app.presets) {
    all.push_back({SearchResult::Kind::preset, preset.id, {}, preset.name, app.text["shell.find.preset"], preset.id});
  }
}

void add_example_results(Results& all, const App& app) {
  for (const ListedExample& example : app.examples) {
    all.push_back(
        {SearchResult::Kind::example, example.path, {}, example.title, app.text["shell.find.example"], example.name});
  }
}

void add_command_results(Results& all, const App& app) {
  const Text& text = app.text;
  for (const Command& command : list_commands(app)) {
    const std::string& detail = command.keys.empty() ? text["shell.find.action"] : command.keys;
    all.push_back({SearchResult::Kind::command,
                   command.text,
                   {},
                   text[command.text],
                   detail,
                   find_words(text, command.text, {})});
  }
  for (const std::string& code : languages(app.places.assets)) {
    const std::string name = "language." + code;
    all.push_back({SearchResult::Kind::language,
                   code,
                   {},
                   text.has(name) ? text[name] : code,
                   text["shell.find.setting"],
                   find_words(text, "language", code)});
  }
}

/// Adds the lessons and chapters by their titles, and their steps and sections.
void add_lesson_results(Results& all, const App& app) {
  using Kind = SearchResult::Kind;
  for (const LessonTitle& title : app.lesson_titles) {
    if (!title.chapter && !title.steps.empty()) {
      all.push_back({Kind::lesson, title.steps.front().name, title.id, title.numbered(), app.text["shell.find.lesson"],
                     app.text["shell.find.lesson"]});
    }
    for (const LessonTitle::Step& step : title.steps) {
      const bool whole = title.chapter && &step == &title.steps.front();
      all.push_back({title.chapter ? Kind::section : Kind::step, step.name, title.id, step.title,
                     whole ? app.text["shell.find.chapter"] : title.title, title.title});
    }
  }
}

/// Returns everything in the scope of the dialog, in the order of equal ranks.
Results everything(const App& app, const Experiment& experiment) {
  Results all;
  const Dialog::Scope scope = app.dialog.scope;
  if (scope == Dialog::Scope::all) {
    for (const View* view : all_views()) {
      const std::string id(view->id), key = "view." + id;
      all.push_back({SearchResult::Kind::view, id, id, app.text[key + ".name"], app.text["shell.find.view"],
                     find_words(app.text, key, id)});
    }
    add_field_results(all, app.text, experiment);
    add_command_results(all, app);
  }
  if (scope != Dialog::Scope::examples) add_model_results(all, app);
  if (scope != Dialog::Scope::models) add_example_results(all, app);
  if (scope == Dialog::Scope::all) add_lesson_results(all, app);
  return all;
}

/// Adds the option that was found to the name of its field: "Extension › YaRN".
void name_option(SearchResult& found, const std::string& typed) {
  if (find_rank(typed, {found.label, {}}, Spelling::exact)) return;
  for (const std::string& option : found.options) {
    if (!find_rank(typed, {option, {}}, Spelling::exact)) continue;
    found.label += " › " + option;
    return;
  }
}

/// Returns the matches: those as typed, and only if there are none, those with typing errors. Lesson steps are last.
Results matching(const App& app, const Experiment& experiment) {
  const Results all = everything(app, experiment);
  std::vector<std::pair<int, const SearchResult*>> ranked;
  for (const Spelling spelling : {Spelling::exact, Spelling::fuzzy}) {
    for (const SearchResult& found : all) {
      const auto how = find_rank(app.dialog.path, {found.label, found.words}, spelling);
      if (how) ranked.emplace_back(*how, &found);
    }
    if (!ranked.empty()) break;
  }
  const auto place = [&app](const auto& each) {
    const SearchResult::Kind kind = each.second->kind;
    // Among equals, a label with all the typed words comes before synonyms.
    const bool named = find_rank(app.dialog.path, {each.second->label, {}}, Spelling::exact).has_value();
    return std::tuple(kind == SearchResult::Kind::step,
                      each.first + (kind == SearchResult::Kind::section ? kSectionRank : 0), !named);
  };
  std::stable_sort(ranked.begin(), ranked.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  ranked.resize(std::min(ranked.size(), kMaxShownResults));
  Results result;
  for (const auto& [how, found] : ranked) {
    result.push_back(*found);
    name_option(result.back(), app.dialog.path);
  }
  return result;
}

/// Shows the control of a field in its view and gives it the focus.
void go_to_field(App& app, const SearchResult& found, Experiment& edited) {
  if (app.lesson && app.lesson->room) toggle_presentation(app);
  edited.view = found.view;
  app.figure_alone = false;
  app.drawer_open = app.settings.controls_open = true;
  app.ui.state.focus_key = control_of_field(found.id);
}

void go(App& app, const SearchResult& found, Experiment& edited) {
  using Kind = SearchResult::Kind;
  close_modal(app);
  if (found.kind == Kind::view) edited.view = found.id;
  if (found.kind == Kind::field) go_to_field(app, found, edited);
  if (found.kind == Kind::preset) app.pending = {PendingOpen::Kind::preset, found.id};
  if (found.kind == Kind::recent || found.kind == Kind::example) app.pending = {PendingOpen::Kind::path, found.id};
  if (found.kind == Kind::language) app.settings.language = found.id;
  if (found.kind == Kind::command) act_by_text(app, edited, found.id);
  if (found.kind < Kind::section) return;
  const Experiment work = find_work(app);
  open_lesson(app, found.view, found.id);
  edited = app.history.current();
  offer_way_back(app, work);
}

/// Draws one line: label on the left, its kind on the right. Returns true if it was chosen.
bool draw_result_line(App& app, const SearchResult& found, std::size_t index, bool selected) {
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

std::optional<int> find_rank(std::string_view typed, const Searchable& item, Spelling spelling) {
  const std::vector<std::string> label = split_words(lower_ascii(std::string(item.label))),
                                 words = split_words(lower_ascii(std::string(item.words)));
  int sum = 0;
  for (const std::string& word : split_words(lower_ascii(std::string(typed)))) {
    const std::optional<int> in_label = rank_in(word, label, 0, spelling), in_words = rank_in(word, words, 1, spelling);
    if (!in_label && !in_words) return std::nullopt;
    sum += std::min(in_label.value_or(kLettersMissing + 1), in_words.value_or(kLettersMissing + 1));
  }
  return sum;
}

bool has_binding(int key, bool control, bool shift) {
  return std::any_of(std::begin(kBindings), std::end(kBindings), [&](const Binding& binding) {
    return static_cast<int>(binding.key) == key && is_chosen_by(binding, control, shift) &&
           (!binding.possible || binding.possible());
  });
}

void handle_keys(App& app, Experiment& edited) {
  // During text input, letters are text; an open dialog handles the keys.
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
  // Keys that widgets and plots handle themselves.
  for (const char* id :
       {"view",   "tab",           "arrows",      "space",     "sweep",     "speed", "field_menu", "ink",
        "lesson", "lesson_answer", "plot_keys",   "plot_menu", "drag",      "click", "wheel",      "box",
        "double", "right",         "click_value", "chip",      "chip_menu", "card",  "drop",       "flip"}) {
    lines.push_back({text["mouse." + std::string(id)], text["key." + std::string(id)]});
  }
  return lines;
}

void open_finder(App& app, Dialog::Scope scope) {
  open_dialog(app, DialogKind::find);
  app.dialog.scope = scope;
  load_check_examples(app);
}

void draw_finder(App& app, const Rect& screen, Experiment& edited) {
  Ui& ui = app.ui;
  Dialog& dialog = app.dialog;
  const Dialog::Scope scope = dialog.scope;
  const bool from_start = scope != Dialog::Scope::all;
  const std::string part = scope == Dialog::Scope::models ? "shell.start.model." : "shell.start.check.";
  const std::string& title = app.text[from_start ? part + "title" : "shell.find.title"];
  if (!begin_modal(app, "dialog.find", title, screen, {620, 480})) return;
  if (from_start) wrapped_text(app.text[part + "search"], static_cast<double>(ImGui::GetContentRegionAvail().x));
  if (!from_start) load_lesson_titles(app);
  const std::string before = dialog.path;
  bool entered = text_input(ui, "dialog.find.text", dialog.path, dialog.just_opened);
  if (dialog.path != before) dialog.row = 0;
  const std::vector<SearchResult> found = matching(app, edited);
  const auto pressed = [](Key key) { return key_pressed(key) ? 1 : 0; };
  const int step =
      pressed(Key::down) - pressed(Key::up) + kResultsPerPage * (pressed(Key::page_down) - pressed(Key::page_up));
  // These keys select a result and leave the focus in the text; Enter then opens the result, as it does if a click
  // elsewhere took the focus.
  if (step != 0) keep_focus_here();
  const bool enter = key_pressed(Key::enter, false) || key_pressed(Key::keypad_enter, false);
  entered |= enter && !dialog.just_opened && !ImGui::IsAnyItemActive() && !focus_is_visible();
  const int last = static_cast<int>(found.size()) - 1;
  dialog.row = std::clamp(dialog.row + step, 0, std::max(0, last));
  ImGui::BeginChild("found", {0, from_start ? ImGui::GetContentRegionAvail().y - ui.px(46) : 0});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, ui.px(2)});
  std::optional<std::size_t> chosen;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool selected = static_cast<int>(i) == dialog.row;
    if (draw_result_line(app, found[i], i, selected)) chosen = i;
    if (selected && step != 0) ImGui::SetScrollHereY(0.5f);
  }
  if (found.empty())
    wrapped_text(app.text["shell.find.nothing"], static_cast<double>(ImGui::GetContentRegionAvail().x));
  ImGui::PopStyleVar();
  ImGui::EndChild();
  if (entered && !found.empty()) chosen = static_cast<std::size_t>(dialog.row);
  bool back = from_start && dialog.kind == DialogKind::none;  // Escape
  bool opens_file = false;
  if (from_start) {
    ImGui::SetCursorPosY(ImGui::GetWindowHeight() - ui.px(48));
    back |= button(ui, "dialog.back", app.text["shell.start.back"]);
    ImGui::SameLine(0, ui.px(10));
    opens_file = button(ui, "dialog.other_file", app.text["shell.open"]);
  }
  if (chosen) {
    go(app, found[*chosen], edited);
  } else if (back || opens_file) {
    close_modal(app);
    if (opens_file && scope == Dialog::Scope::examples) edited.view = kCheckView.id;
    open_dialog(app, opens_file ? DialogKind::open : DialogKind::start);
  }
  ImGui::EndPopup();
}

}  // namespace ropescope::ui
