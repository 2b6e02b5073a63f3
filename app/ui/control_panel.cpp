// The control panel and its menus, playing fields, and experiments as command lines.
//
// Contents: Menu; Playing a sweep; Panel; Player; As a command line.

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
#include "app/figure/pages/page.h"
#include "app/resources/models.h"
#include "app/ui/app.h"
#include "app/ui/dialogs.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/drawing/style.h"
#include "app/ui/sweep_lists.h"
#include "app/ui/widgets.h"
#include "app/views/shared/ropes.h"
#include "core/message.h"

namespace ropescope::ui {

// --- Menu ----------------------------------------------------------------------------------------------------------

namespace {

/// Draws the menu of a field, requested by a right click on its label.
void draw_field_menu(App& app, Experiment& edited) {
  WidgetState& state = app.ui.state;
  Experiment faceted = edited;
  toggle_facet(faceted, state.menu_key);
  // A path, a file or a free text has no range of values.
  const bool possible = faceted.facet != edited.facet;
  if (std::exchange(state.menu_requested, false) && possible) ImGui::OpenPopup("field.menu");
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

constexpr double kLongestSweepFrame = 0.1;  ///< seconds: limits the jump after a pause
constexpr double kSpeeds[] = {2, 5, 10, 20, 60};

/// A number of this key as shown in the view's panel.
struct ShownControl {
  bool shown = false;
  double value = 0, fraction = 0;
};

ShownControl read_control(const Experiment& experiment, const std::string& key) {
  const FieldList fields = fields_of(find_view(experiment.view), experiment);
  const Field* field = find_field(fields, key);
  if (!field || field->kind != Field::Kind::number) return {};
  const double value = shown_number(*field);
  return {field->control, value, slider_fraction(*field, value)};
}

/// Draws the list of sweep speeds.
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

// --- Panel ---------------------------------------------------------------------------------------------------------

void wrapped(const Ui& ui, const std::string& text) {
  ImGui::PushFont(ui.fonts.small);
  const Colour c = ui.palette.secondary;
  ImGui::PushStyleColor(ImGuiCol_Text, IM_COL32(c.red, c.green, c.blue, 255));
  wrapped_text(text, static_cast<double>(ImGui::GetContentRegionAvail().x));
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

constexpr double kAfterNotes = 8, kPanelEdge = 14;

/// Draws a widget for every field that has one. Successive toggles share one row.
class ControlFields {
 public:
  explicit ControlFields(Ui& ui) : ui_(ui) {}

  /// Returns whether anything was edited: the fields after it may then differ.
  bool draw(Field& field) {
    if (field.kind == Field::Kind::toggle) {
      if (field.control) row_.push_back(field);
      return false;
    }
    if (!field.control && (field.kind == Field::Kind::names || field.kind == Field::Kind::range)) return false;
    const bool flushed = flush();
    if (field.kind == Field::Kind::group) {
      group_ = field.key;
      return flushed;
    }
    if (!field.control) return flushed;
    start_group();
    return draw_widget(field) || flushed;
  }
  bool flush() {
    if (row_.empty()) return false;
    start_group();
    const bool edited = toggles_control(ui_, "row." + std::string(row_.front().key), row_) != Edit::none;
    row_.clear();
    return edited;
  }

 private:
  /// Draws a group's label above its first widget; a group without any has none.
  void start_group() {
    if (!group_.empty()) group_label(ui_, (*ui_.text)["group." + group_]);
    group_.clear();
  }
  bool draw_widget(Field& field) {
    switch (field.kind) {
      case Field::Kind::note:
        wrapped(ui_, ui_.text->render(std::get<Message>(field.value)));
        ImGui::Dummy({0, ui_.px(kAfterNotes)});
        return false;
      case Field::Kind::action: {
        const bool pressed = action_control(ui_, field);
        if (pressed) std::get<std::function<void()>>(field.value)();
        return pressed;
      }
      // A value displayed as its nearest option is kept until it is moved.
      case Field::Kind::number: {
        const double shown = shown_number(field);
        double value = shown;
        const Edit edit = number_control(ui_, field, value);
        if (value != shown) field.as<double>() = value;
        return edit != Edit::none;
      }
      case Field::Kind::choice: {
        const std::string shown = shown_choice(field);
        std::string value = shown;
        const Edit edit = choice_control(ui_, field, value);
        if (value != shown) field.set_word(value);
        return edit != Edit::none;
      }
      case Field::Kind::names:
        return names_control(ui_, field, field.as<Field::Names>()) != Edit::none;
      default:
        return text_control(ui_, field, field.as<std::string>()) != Edit::none;
    }
  }

  Ui& ui_;
  std::string group_;
  FieldList row_;
};

/// Returns the fields of the panel; a reset gives them the values of a new window.
FieldList fresh_panel_fields(const View& view, Experiment& experiment) {
  FieldList fields = panel_fields(view, experiment);
  for (const auto& [key, word] : kFreshChoices) {
    if (Field* field = find_field(fields, key)) field->initial_text = word;
  }
  return fields;
}

/// Draws the controls of the current view, only those with certain keys if these are set.
void draw_controls(App& app, Experiment& edited, const std::vector<std::string>* names = nullptr) {
  const Experiment before = edited;
  const View& view = find_view(edited.view);
  ControlFields controls(app.ui);
  FieldList fields = fresh_panel_fields(view, edited);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Field::Kind kind = fields[i].kind;
    const std::string_view key = fields[i].key;
    const bool is_named = !names || std::find(names->begin(), names->end(), key) != names->end();
    if (!is_named || (names && !fields[i].has_value())) continue;
    const bool is_picked = fields[i].control && has_sweep_list(key);
    const bool flushed = is_picked && controls.flush();
    const bool changed = is_picked ? draw_sweep_lists(app, key, edited) : controls.draw(fields[i]);
    if (!flushed && !changed) continue;
    // The controls after an edited one belong to the edited experiment.
    fields = fresh_panel_fields(view, edited);
    const auto is_same = [kind, key](const Field& field) { return field.kind == kind && field.key == key; };
    if (i < fields.size() && is_same(fields[i])) continue;
    const auto now = std::find_if(fields.begin(), fields.end(), is_same);
    if (now != fields.end()) i = static_cast<std::size_t>(now - fields.begin());
  }
  controls.flush();
  if (view.settle) view.settle(before, edited);
}

constexpr const char* kFile = ":file";  ///< no preset can have this id

/// Returns the name of the current model: the preset with its values, or a file.
std::string find_model_name(const App& app, const RopeFields& rope) {
  for (const Preset& preset : app.presets) {
    for (const Profile& profile : preset.profiles) {
      try {
        RopeFields known = to_rope_fields(profile, rope.label);
        known.config = rope.config;
        known.model = rope.model;
        known.profile = rope.profile;
        known.axis = rope.axis;
        if (known == rope) return preset.name;
      } catch (const InputError&) {
        continue;  // a preset that no field can represent
      }
    }
  }
  return app.text["shell.own_file"];
}

/// Draws the list of the rope's preset or file, and the presets to choose from.
void draw_model_list(App& app, const Experiment& edited) {
  std::vector<ListItem> items;
  std::string current;
  if (!edited.rope.config.empty()) {
    items.push_back({kFile, rope_name(edited.rope, app.text), find_model_name(app, edited.rope)});
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

/// Draws the notes on the profile, such as layers without rotation.
void draw_notes(const App& app, const Experiment& edited) {
  const float before = ImGui::GetCursorScreenPos().y;
  for (const Profile& profile : app.profiles) {
    if (profile.name != edited.rope.profile) continue;
    for (const Message& note : profile.notes) wrapped(app.ui, app.text.render(note));
  }
  if (ImGui::GetCursorScreenPos().y > before) ImGui::Dummy({0, app.ui.px(kAfterNotes)});
}

/// Opens the dialog for a field whose button was pressed, in the folder of its current file.
void choose_field_file(App& app, const View& view, Experiment& edited) {
  const std::string key = std::exchange(app.ui.state.file_key, {});
  if (key.empty()) return;
  const FieldList fields = fields_of(view, std::as_const(edited));
  const Field* field = find_field(fields, key);
  open_file_dialog(app, key, app.ui.state.file_endings, field ? field->as<std::string>() : std::string());
}

// --- Player --------------------------------------------------------------------------------------------------------

struct PlayerButton {
  const char* key;
  std::string label;
  bool enabled;
  void (*act)(const Player&, Experiment&);
};

}  // namespace

void play_sweep(App& app, double seconds) {
  FieldSweep& sweep = app.ui.sweep;
  if (sweep.key.empty()) return;
  Experiment next = app.history.current();
  const ShownControl field = read_control(next, sweep.key);
  const bool started = std::exchange(sweep.started, false);
  // It was changed elsewhere (by hand, by undo, by another file), or the view has no such field.
  if (!field.shown || (!started && field.value != sweep.value)) return sweep.end();
  if (started) {
    sweep.phase = field.fraction / 2;
    sweep.value = field.value;
  }
  if (sweep.held) return;
  sweep.phase += std::min(seconds, kLongestSweepFrame) / (2 * app.settings.sweep_seconds);
  sweep.phase -= std::floor(sweep.phase);
  const Experiment before = next;
  apply_variation(next, find_slider_range(next, sweep.key), there_and_back(sweep.phase));
  const View& view = find_view(next.view);
  if (view.settle) view.settle(before, next);
  clamp(next);
  app.history.amend(next);
  sweep.value = read_control(next, sweep.key).value;
  app.animated = true;
}

void draw_pointed_controls(App& app, const std::vector<std::string>& names, Experiment& edited) {
  ImGui::Dummy({0, app.ui.px(2 * kAfterNotes)});
  draw_controls(app, edited, &names);
}

std::string find_first_control(const Experiment& experiment, const std::vector<std::string>& names) {
  Experiment shown = experiment;
  const FieldList fields = panel_fields(find_view(shown.view), shown);
  const auto find = [&](bool number, bool named) {
    const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) {
      const bool is_kind = number ? field.kind == Field::Kind::number
                                  : field.kind == Field::Kind::choice || field.kind == Field::Kind::toggle;
      return field.control && is_kind && (!named || std::find(names.begin(), names.end(), field.key) != names.end());
    });
    return found == fields.end() ? std::string() : std::string(found->key);
  };
  std::string key = find(true, true);
  if (key.empty()) key = find(false, true);
  return key.empty() ? find(true, false) : key;
}

void draw_first_control(App& app, const std::vector<std::string>& names, Experiment& edited) {
  const std::string first = find_first_control(edited, names);
  if (!first.empty()) draw_pointed_controls(app, {first}, edited);
}

void draw_fields(App& app, const Rect& rect, Experiment& edited) {
  const Ui& ui = app.ui;
  ImGui::SetCursorScreenPos({static_cast<float>(rect.left), static_cast<float>(rect.top)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(16), ui.px(kPanelEdge)});
  // The margins below the last control need no scroll bar.
  const bool fits = app.fields_overflow <= ui.px(kPanelEdge + kAfterNotes);
  begin_padded_child("fields", {static_cast<float>(rect.width), static_cast<float>(rect.height)},
                     fits ? ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse : 0);
  if (fits) ImGui::SetScrollY(0);
  const View& view = find_view(edited.view);
  if (!view.subject || view.subject(edited, *ui.text).empty()) {
    group_label(app.ui, (*ui.text)["group.model"]);
    draw_model_list(app, edited);
    draw_profile_list(app, edited);
    draw_notes(app, edited);
  }
  draw_controls(app, edited);
  draw_sweep_popup(app);
  draw_field_menu(app, edited);
  app.fields_overflow = ImGui::GetScrollMaxY();
  ImGui::EndChild();
  ImGui::PopStyleVar();
  choose_field_file(app, view, edited);
}

double draw_player(App& app, const Rect& row, Experiment& edited) {
  const Player* player = find_player(edited);
  if (!player) return row.right();
  const Text& text = *app.ui.text;
  const bool playing = player->playing(edited);
  std::vector<PlayerButton> buttons = {
      {"player.back", text["shell.step_back"], !playing, [](const Player& p, Experiment& e) { p.step(e, -1); }},
      {"player.play", text[playing ? "shell.pause" : "shell.play"], true,
       [](const Player& p, Experiment& e) { p.play(e, !p.playing(e)); }},
      {"player.step", text["shell.step"], !playing, [](const Player& p, Experiment& e) { p.step(e, 1); }},
  };
  if (!player->goes_back) buttons.erase(buttons.begin());
  const double gap = app.ui.px(6);
  const auto width_of_all = [&] {
    double width = -gap;
    for (const PlayerButton& each : buttons) width += static_cast<double>(button_width(app.ui, each.label)) + gap;
    return width;
  };
  // In a narrow window the steps are signs; their words are in the tooltips.
  if (width_of_all() > row.width) {
    buttons.back().label = "›";
    if (player->goes_back) buttons.front().label = "‹";
  }
  double left = row.right() + gap;
  for (const PlayerButton& each : buttons) left -= static_cast<double>(button_width(app.ui, each.label)) + gap;
  double x = left;
  for (const PlayerButton& each : buttons) {
    ImGui::SetCursorScreenPos(point(x, row.top));
    const bool pressed =
        button(app.ui, each.key, each.label, each.enabled, text["shell.tip." + std::string(each.key).substr(7)]);
    if (pressed) each.act(*player, edited);
    x += static_cast<double>(button_width(app.ui, each.label)) + gap;
  }
  return left;
}

// --- As a command line ---------------------------------------------------------------------------------------------

std::string command_line_of(const Experiment& experiment, const Settings& settings) {
  const PageFields& page = settings.save;
  const PageFields initial;
  std::string line = "ropescope render " + experiment.view;
  for (const std::string& assignment : arguments_of(experiment)) line += " --set " + shell_quoted(assignment);
  line += " --size " + shell_quoted(page.size) + " --theme " +
          (page_style(settings).theme == ThemeName::dark ? "dark" : "light");
  if (page.text_size != initial.text_size) line += " --text-size " + shortest_number(page.text_size);
  if (page.words != initial.words) line += " --outlines no";
  if (page.legend != initial.legend) line += " --legend " + word_of(page.legend);
  if (page.font != initial.font) line += " --font " + shell_quoted(page.font);
  return line + " -o " + experiment.view + ".svg";
}

}  // namespace ropescope::ui
