#include <imgui.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "app/ui/controls.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/keys.h"
#include "app/ui/modal.h"
#include "app/ui/shell.h"
#include "app/ui/style.h"

namespace ropescope::ui {

namespace {

constexpr std::size_t kMostShown = 60;

/// Something to go to or to do, and the words it is found by.
struct FinderFound {
  enum class Kind { view, knob, preset, command, step };
  Kind kind;
  std::string id;      ///< of the view, knob, preset or step, or the command's text
  std::string view;    ///< knob: a view that has it; step: its lesson
  std::string label;   ///< in the present language
  std::string detail;  ///< what it is, at the right
};

/// The knobs that have a control now.
class KnobLister : public Fields {
 public:
  std::vector<std::string> keys;
  void number(const NumberField& field, double&) override { add(field); }
  void choice(const ChoiceField& field, std::string&) override { add(field); }
  void toggle(const ToggleField& field, bool&) override { add(field); }
  void text(const TextField& field, std::string&) override { add(field); }
  void range(const RangeField&, std::optional<Range>&) override {}
  void names(const NamesField& field, std::vector<std::string>&) override {
    if (!field.options.empty()) add(field);
  }

 private:
  template <class Field>
  void add(const Field& field) {
    if (field.control) keys.emplace_back(field.key);
  }
};

std::vector<FinderFound> everything(const App& app, const Experiment& experiment) {
  const Text& text = app.text;
  std::vector<FinderFound> all;
  for (const View* view : all_views()) {
    const std::string id(view->id);
    all.push_back({FinderFound::Kind::view, id, id, text["view." + id + ".name"], text["shell.find.view"]});
  }
  // Of the shown view first: a knob of several views is then one of this one.
  std::vector<const View*> views{&find_view(experiment.view)};
  for (const View* view : all_views()) {
    if (view->id != experiment.view) views.push_back(view);
  }
  std::set<std::string> seen;
  for (const View* view : views) {
    KnobLister lister;
    Experiment copy = experiment;
    copy.view = view->id;
    view->describe(lister, copy);
    const std::string name = text["view." + std::string(view->id) + ".name"];
    for (const std::string& key : lister.keys) {
      if (seen.insert(key).second) {
        all.push_back({FinderFound::Kind::knob, key, std::string(view->id), text["field." + key + ".label"], name});
      }
    }
  }
  for (const Preset& preset : app.presets) {
    all.push_back({FinderFound::Kind::preset, preset.id, {}, preset.name, text["shell.find.preset"]});
  }
  for (const LessonTitle& lesson : app.lesson_titles) {
    for (const LessonTitle::Step& step : lesson.steps) {
      all.push_back({FinderFound::Kind::step, step.name, lesson.id, step.title, lesson.title});
    }
  }
  for (const Command& command : key_commands()) {
    all.push_back({FinderFound::Kind::command, command.text, {}, text[command.text], command.keys});
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
  if (found.kind == FinderFound::Kind::knob) {
    edited.view = found.view;
    app.figure_alone = false;
    app.drawer_open = app.settings.controls_open = true;
    app.ui.state.focus_key = found.id;
  }
  if (found.kind == FinderFound::Kind::step) open_lesson(app, found.view, found.id);
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
