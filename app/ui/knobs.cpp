#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/experiment/partial_fields.h"
#include "app/figure/number_text.h"
#include "app/resources/models.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/shell.h"
#include "app/ui/style.h"
#include "app/views/shared/model_sides.h"
#include "core/error.h"

namespace ropescope::ui {

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
class ControlFields : public Fields {
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
class TextOf : public PartialFields {
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
std::string what_is(const App& app, const RopeKnobs& rope) {
  for (const Preset& preset : app.presets) {
    for (const Profile& profile : preset.profiles) {
      try {
        RopeKnobs known = knobs_of(profile, rope.label);
        known.config = rope.config;
        known.model = rope.model;
        known.profile = rope.profile;
        known.axis = rope.axis;
        if (known == rope) return preset.name;
      } catch (const InputError&) {
        continue;  // a preset that no knob can hold
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
class OnlyNamed : public Fields {
 public:
  OnlyNamed(Fields& to, const std::vector<std::string>& names) : to_(to), names_(names) {}
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
  Fields& to_;
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

void draw_knobs(App& app, const Rect& rect, Experiment& edited) {
  const Ui& ui = app.ui;
  ImGui::SetCursorScreenPos({static_cast<float>(rect.left), static_cast<float>(rect.top)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(16), ui.px(14)});
  begin_padded_child("knobs", {static_cast<float>(rect.width), static_cast<float>(rect.height)});
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
  draw_knob_menu(app, edited);
  ImGui::EndChild();
  ImGui::PopStyleVar();
  choose_wanted_file(app, view, edited);
}

}  // namespace ropescope::ui
