// Draws the panel of controls and its menus, moves fields that play, and writes an experiment as a command line.
//
// Contents: Panel; Menu; Playing a sweep; Player; As a command line.

#include "app/ui/control_panel.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/fields.h"
#include "app/experiment/sweeps.h"
#include "app/figure/figure.h"
#include "app/figure/page.h"
#include "app/resources/models.h"
#include "app/ui/app.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/style.h"
#include "app/views/shared/ropes.h"
#include "core/words.h"

namespace ropescope::ui {

// --- Panel ---------------------------------------------------------------------------------------------------------

namespace {

void wrapped(const Ui& ui, const std::string& text) {
  ImGui::PushFont(ui.fonts.small);
  const Colour c = ui.palette.secondary;
  ImGui::PushStyleColor(ImGuiCol_Text, IM_COL32(c.red, c.green, c.blue, 255));
  wrapped_text(text, static_cast<double>(ImGui::GetContentRegionAvail().x));
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

constexpr double kAfterNotes = 8;

/// Draws a widget for every declared field that wants one. Toggles that follow each other share one row.
class ControlFields : public FieldVisitor {
 public:
  explicit ControlFields(Ui& ui) : ui_(ui) {}

  void group(std::string_view key) override {
    flush();
    group_ = key;
  }
  void note(const Words& note) override {
    flush();
    if (!note.empty() && start_group()) {
      wrapped(ui_, ui_.text->say(note));
      ImGui::Dummy({0, ui_.px(kAfterNotes)});
    }
  }
  void action(const ActionField& field, const std::function<void()>& act) override {
    flush();
    if (field.control && start_group() && action_control(ui_, field)) act();
  }
  void number(const NumberField& field, double& value) override {
    flush();
    if (field.control && start_group() && number_control(ui_, field, value) == Edit::reset) value = field.initial;
  }
  void choice(const ChoiceField& field, std::string& value) override {
    flush();
    if (field.control && start_group() && choice_control(ui_, field, value) == Edit::reset) value = field.initial;
  }
  void toggle(const ToggleField& field, bool& value) override {
    if (field.control) row_.push_back({field, &value});
  }
  void text(const TextField& field, std::string& value) override {
    flush();
    if (field.control && start_group() && text_control(ui_, field, value) == Edit::reset) value = field.initial;
  }
  void range(const RangeField&, std::optional<Range>&) override {}
  void names(const NamesField& field, std::vector<std::string>& value) override {
    if (field.options.empty() || !field.control) return;
    flush();
    if (start_group() && names_control(ui_, field, value) == Edit::reset) value = field.initial;
  }

  void flush() {
    if (row_.empty() || !start_group()) return;
    toggles_control(ui_, "row." + std::string(row_.front().field.key), row_);
    row_.clear();
  }

 private:
  /// A group's label stands above its first widget; a group without any has none.
  bool start_group() {
    if (group_.empty()) return true;
    group_label(ui_, (*ui_.text)["group." + group_]);
    group_.clear();
    return true;
  }

  Ui& ui_;
  std::string group_;
  std::vector<ToggleItem> row_;
};

/// What stands in a field of text.
class TextOf : public PartialVisitor {
 public:
  explicit TextOf(std::string_view key) : key_(key) {}
  std::string value;
  void text(const TextField& field, std::string& text) override {
    if (field.key == key_) value = text;
  }

 private:
  std::string_view key_;
};

constexpr const char* kFile = ":file";  ///< no preset can be called so

/// What an opened file is: the preset that has its values, or a file of one's own.
std::string what_is(const App& app, const RopeFields& rope) {
  for (const Preset& preset : app.presets) {
    for (const Profile& profile : preset.profiles) {
      try {
        RopeFields known = fields_of(profile, rope.label);
        known.config = rope.config;
        known.model = rope.model;
        known.profile = rope.profile;
        known.axis = rope.axis;
        if (known == rope) return preset.name;
      } catch (const InputError&) {
        continue;  // a preset that no field can hold
      }
    }
  }
  return app.text["shell.own_file"];
}

/// The preset or file that the rope came from, and the presets to choose from.
void draw_model_list(App& app, const Experiment& edited) {
  std::vector<ListItem> items;
  std::string current;
  if (!edited.rope.config.empty()) {
    items.push_back({kFile, rope_name(edited.rope, app.text), what_is(app, edited.rope)});
    current = kFile;
  }
  for (const Preset& preset : app.presets) {
    const bool shown = edited.rope.model == preset.id;
    items.push_back({preset.id, shown ? rope_name(edited.rope, app.text) : preset.name, {}});
    if (shown) current = preset.id;
  }
  const std::string shown = current.empty()
                                ? (edited.rope.label.empty() ? (*app.ui.text)["shell.own_values"] : edited.rope.label)
                                : std::string();
  const std::string chosen = list_control(app.ui, "model", (*app.ui.text)["shell.model"], items, current, shown);
  if (!chosen.empty() && chosen != current) app.pending = {PendingOpen::Kind::preset, chosen, {}};
}

void draw_profile_list(App& app, const Experiment& edited) {
  if (app.profiles.size() < 2) return;
  std::vector<ListItem> items;
  for (const Profile& profile : app.profiles)
    items.push_back({profile.name, profile_label(app.text, profile.name), {}});
  const std::string chosen = list_control(app.ui, "profile", app.text["shell.profile"], items, edited.rope.profile,
                                          profile_label(app.text, edited.rope.profile));
  if (!chosen.empty() && chosen != edited.rope.profile) app.pending = {PendingOpen::Kind::profile, chosen};
}

/// What a reader must know about the profile, such as layers without rotation.
void draw_notes(const App& app, const Experiment& edited) {
  const float before = ImGui::GetCursorScreenPos().y;
  for (const Profile& profile : app.profiles) {
    if (profile.name != edited.rope.profile) continue;
    for (const Words& note : profile.notes) wrapped(app.ui, app.text.say(note));
  }
  if (ImGui::GetCursorScreenPos().y > before) ImGui::Dummy({0, app.ui.px(kAfterNotes)});
}

/// A field's button was pressed: the dialog starts where its present file lies.
void choose_wanted_file(App& app, const View& view, Experiment& edited) {
  const std::string key = std::exchange(app.ui.state.file_key, {});
  if (key.empty()) return;
  TextOf present(key);
  view.describe(present, edited);
  open_file_dialog(app, key, app.ui.state.file_endings, present.value);
}

/// Passes on the fields of some keys alone, whatever is shown otherwise.
class OnlyNamed : public FieldVisitor {
 public:
  OnlyNamed(FieldVisitor& to, const std::vector<std::string>& names) : to_(to), names_(names) {}
  void number(const NumberField& field, double& value) override {
    if (named(field.key)) to_.number(field, value);
  }
  void choice(const ChoiceField& field, std::string& value) override {
    if (named(field.key)) to_.choice(field, value);
  }
  void toggle(const ToggleField& field, bool& value) override {
    if (named(field.key)) to_.toggle(field, value);
  }
  void text(const TextField& field, std::string& value) override {
    if (named(field.key)) to_.text(field, value);
  }
  void range(const RangeField&, std::optional<Range>&) override {}
  void names(const NamesField& field, std::vector<std::string>& value) override {
    if (named(field.key)) to_.names(field, value);
  }

 private:
  bool named(std::string_view key) const { return std::find(names_.begin(), names_.end(), key) != names_.end(); }
  FieldVisitor& to_;
  const std::vector<std::string>& names_;
};

}  // namespace

void draw_pointed_controls(App& app, const std::vector<std::string>& names, Experiment& edited) {
  ControlFields controls(app.ui);
  OnlyNamed named(controls, names);
  ImGui::Dummy({0, app.ui.px(2 * kAfterNotes)});
  edit(find_view(edited.view), named, edited);
  controls.flush();
}

void draw_fields(App& app, const Rect& rect, Experiment& edited) {
  const Ui& ui = app.ui;
  ImGui::SetCursorScreenPos({static_cast<float>(rect.left), static_cast<float>(rect.top)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(16), ui.px(14)});
  begin_padded_child("fields", {static_cast<float>(rect.width), static_cast<float>(rect.height)});
  const View& view = find_view(edited.view);
  if (!view.subject || view.subject(edited, *ui.text).empty()) {
    group_label(app.ui, (*ui.text)["group.model"]);
    draw_model_list(app, edited);
    draw_profile_list(app, edited);
    draw_notes(app, edited);
  }
  ControlFields controls(app.ui);
  edit(view, controls, edited);
  controls.flush();
  draw_sweep_popup(app);
  draw_field_menu(app, edited);
  ImGui::EndChild();
  ImGui::PopStyleVar();
  choose_wanted_file(app, view, edited);
}

// --- Menu ----------------------------------------------------------------------------------------------------------

void draw_field_menu(App& app, Experiment& edited) {
  WidgetState& state = app.ui.state;
  Experiment faceted = edited;
  toggle_facet(faceted, state.menu_key);
  // A path, a file or a text of one's own has no values to go through.
  const bool possible = faceted.facet != edited.facet;
  if (std::exchange(state.menu_asked, false) && possible) ImGui::OpenPopup("field.menu");
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {app.ui.px(8), app.ui.px(8)});
  if (ImGui::BeginPopup("field.menu")) {
    const bool more =
        faceted.facet.across.size() + faceted.facet.down.size() > edited.facet.across.size() + edited.facet.down.size();
    if (ImGui::MenuItem(app.text[more ? "shell.field_menu.facet" : "shell.field_menu.no_facet"].c_str())) {
      edited.facet = faceted.facet;
    }
    app.record.add("field.menu.facet", last_item_rect());
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

// --- Playing a sweep -----------------------------------------------------------------------------------------------

namespace {

constexpr double kSweepPlayLongestFrame = 0.1;  ///< seconds: after a pause of the whole program it goes on where it was
constexpr double kSpeeds[] = {2, 5, 10, 20, 60};

/// The number of one key among the controls of a view.
class ControlReader : public PartialVisitor {
 public:
  explicit ControlReader(std::string_view key) : key_(key) {}
  bool shown = false;
  double value = 0, fraction = 0;
  void number(const NumberField& field, double& number) override {
    if (field.key != key_) return;
    shown = field.control;
    value = number;
    fraction = slider_fraction(field, number);
  }

 private:
  std::string_view key_;
};

ControlReader read_control(const Experiment& experiment, const std::string& key) {
  ControlReader reader(key);
  Experiment read = experiment;
  find_view(experiment.view).describe(reader, read);
  return reader;
}

}  // namespace

void play_sweep(App& app, double seconds) {
  FieldSweep& sweep = app.ui.sweep;
  if (sweep.key.empty()) return;
  Experiment next = app.history.current();
  const ControlReader field = read_control(next, sweep.key);
  const bool started = std::exchange(sweep.started, false);
  // Somebody else has moved it (by hand, by undo, by another file), or the view has no such field.
  if (!field.shown || (!started && field.value != sweep.value)) return sweep.end();
  if (started) {
    sweep.phase = field.fraction / 2;
    sweep.value = field.value;
  }
  if (sweep.held) return;
  sweep.phase += std::min(seconds, kSweepPlayLongestFrame) / (2 * app.settings.sweep_seconds);
  sweep.phase -= std::floor(sweep.phase);
  const Experiment before = next;
  apply_sweep(next, slider_sweep(next, sweep.key), there_and_back(sweep.phase));
  const View& view = find_view(next.view);
  if (view.settle) view.settle(before, next);
  clamp(next);
  app.history.amend(next);
  sweep.value = read_control(next, sweep.key).value;
  app.animated = true;
}

void draw_sweep_popup(App& app) {
  if (!std::exchange(app.ui.sweep.speed_of, {}).empty()) ImGui::OpenPopup("sweep.speed");
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {app.ui.px(8), app.ui.px(8)});
  if (ImGui::BeginPopup("sweep.speed")) {
    ImGui::TextUnformatted(app.text["shell.sweep.speed"].c_str());
    for (const double seconds : kSpeeds) {
      const std::string number = shortest_number(seconds);
      const bool chosen = app.settings.sweep_seconds == seconds;
      if (ImGui::MenuItem(app.text.format("shell.sweep.seconds", {{"seconds", number}}).c_str(), nullptr, chosen)) {
        app.settings.sweep_seconds = seconds;
      }
      app.record.add("sweep.seconds." + number, last_item_rect());
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

// --- Player --------------------------------------------------------------------------------------------------------

namespace {

struct PlayerButton {
  const char* key;
  std::string label;
  bool enabled;
};

}  // namespace

double draw_player(App& app, const Rect& row, Experiment& edited) {
  const Player* player = player_of(edited);
  if (!player) return row.right();
  const Text& text = *app.ui.text;
  const bool playing = player->playing(edited);
  std::vector<PlayerButton> buttons = {
      {"player.back", text["shell.step_back"], !playing},
      {"player.play", text[playing ? "shell.pause" : "shell.play"], true},
      {"player.step", text["shell.step"], !playing},
  };
  if (!player->goes_back) buttons.erase(buttons.begin());
  const double gap = app.ui.px(6);
  double left = row.right() + gap;
  for (const PlayerButton& each : buttons) left -= static_cast<double>(button_width(app.ui, each.label)) + gap;
  double x = left;
  for (const PlayerButton& each : buttons) {
    ImGui::SetCursorScreenPos(point(x, row.top));
    const bool pressed =
        button(app.ui, each.key, each.label, each.enabled, text["shell.tip." + std::string(each.key).substr(7)]);
    if (pressed && each.key == std::string_view("player.play")) player->play(edited, !playing);
    if (pressed && each.key == std::string_view("player.step")) player->step(edited, 1);
    if (pressed && each.key == std::string_view("player.back")) player->step(edited, -1);
    x += static_cast<double>(button_width(app.ui, each.label)) + gap;
  }
  return left;
}

// --- As a command line ---------------------------------------------------------------------------------------------

std::string command_line_of(const Experiment& experiment, const Settings& settings) {
  const PageStyle style = page_style(settings, "svg");
  std::string line = "ropescope render " + experiment.view;
  for (const std::string& assignment : arguments_of(experiment)) line += " --set " + shell_quoted(assignment);
  line +=
      " --size " + shell_quoted(settings.save.size) + " --theme " + (style.theme == ThemeName::dark ? "dark" : "light");
  if (style.text_percent != 100) line += " --text-size " + shortest_number(style.text_percent);
  if (!style.outlines) line += " --outlines no";
  return line + " -o " + experiment.view + ".svg";
}

}  // namespace ropescope::ui
