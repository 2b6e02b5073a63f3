// The state of a window: its first values, settings applied to fonts, colours and texts, and edits of pins.
//
// Contents: App; Pins.

#include "app/ui/app.h"

#include <imgui.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/fields.h"
#include "app/experiment/rope_spec.h"
#include "app/resources/formulas.h"
#include "app/resources/models.h"
#include "app/resources/result_cache.h"
#include "app/resources/text.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/drawing/style.h"
#include "app/views/shared/cards.h"
#include "core/message.h"

namespace ropescope::ui {

// --- App -----------------------------------------------------------------------------------------------------------

void edit_field(App& app, std::string_view key, const std::function<void(Field&)>& edit) {
  const Experiment before = app.history.current();
  Experiment next = before;
  const View& view = find_view(next.view);
  FieldList fields = panel_fields(view, next);
  if (Field* const field = find_field(fields, key)) edit(*field);
  if (view.settle) view.settle(before, next);
  clamp(next);
  app.history.record(next, false);
}

Experiment fresh_experiment(const App& app) {
  constexpr std::string_view kFreshModel = "llama-2-7b";
  Experiment fresh;
  // A chip adds the bound. Its initial value stays true: files, links and commands that do not set it mean that.
  fresh.decay.show_bound = false;
  for (const auto& [key, word] : kFreshChoices) find_field(fresh, key)->set_word(std::string(word));
  for (const Preset& preset : app.presets) {
    if (preset.id != kFreshModel) continue;
    const Profile& profile = preset.profiles.front();
    fresh.rope = to_rope_fields(profile, preset.name);
    fresh.rope.model = preset.id;
    fresh.rope.profile = profile.name;
  }
  return fresh;
}

Experiment find_work(const App& app) {
  return app.lesson && app.lesson->staged ? app.lesson->before : app.history.current();
}

App::App(Places places_in, Store::Mode mode, int threads)
    : places(std::move(places_in)),
      text(Text::load(places.assets, "en", Text::FormulaForm::drawn)),
      font_files(find_fonts()),
      store(mode, threads),
      presets(load_presets(places.assets)) {
  ui.text = &text;
  ui.record = &record;
  writing.ui = &ui;
}

bool files_changed(const App& app) {
  if (!app.result_of) return false;
  const View& view = find_view(app.result_of->view);
  return view.files && view.files(*app.result_of) != app.result_files;
}

double text_scale_of(const App& app) {
  return app.lesson && app.lesson->room ? std::max(app.settings.text_scale, app.presentation_scale)
                                        : app.settings.text_scale;
}

void apply_settings(App& app, float content_scale) {
  const float scale = content_scale * static_cast<float>(text_scale_of(app) / 100);
  app.ui.scale = scale;
  std::string warning;
  app.ui.fonts = build_fonts(app.font_files, app.text, utf8_of(app.requested_glyphs), scale, warning);
  ImGui::GetIO().UserData = &app.writing;
  if (!warning.empty()) app.messages.push_back({warning, false});
  apply_theme(app);
}

void apply_language(App& app) {
  std::string& chosen = app.settings.language;
  try {
    const std::vector<std::string> known = languages(app.places.assets);
    if (std::find(known.begin(), known.end(), chosen) == known.end()) chosen.clear();
    const std::string code = chosen.empty() ? find_locale_language(app.places.assets) : chosen;
    if (code == app.text.language()) return;
    app.text = Text::load(app.places.assets, code, Text::FormulaForm::drawn);
    if (const std::shared_ptr<ResultCache>& shelf = app.store.shelf(); shelf && app.text.formulas()) {
      app.text.formulas()->keep_on({shelf, &shelf->inner("formulas", {16, std::uint64_t{64} << 20})});
    }
    app.result_of.reset();
    app.requests.rebuild_fonts = true;
  } catch (const InputError& error) {
    app.messages.push_back({app.text.render(error.words())});
  }
}

void toggle_theme(App& app) {
  const bool dark = parse_theme(app.settings.theme) == ThemeName::dark;
  app.settings.theme = theme_name(dark ? ThemeName::light : ThemeName::dark);
}

void apply_theme(App& app) {
  app.ui.palette = palette(parse_theme(app.settings.theme));
  if (app.settings.contrast) app.ui.palette = with_contrast(app.ui.palette);
  apply_style(app.ui.palette, app.ui.scale);
}

void say_copied(App& app) {
  app.copied = ImGui::GetTime();
}

void step_history(App& app, Experiment& edited, void (History::*step)()) {
  app.history.end_merge();
  (app.history.*step)();
  edited = app.history.current();
}

// --- Pins ----------------------------------------------------------------------------------------------------------

namespace {

constexpr int kColours = 5;

/// Returns which of so many pins are hidden.
std::vector<bool> hidden_pins(const Experiment& experiment) {
  std::vector<bool> hidden;
  for (std::size_t i = 0; i < experiment.pins.size(); ++i) {
    const auto& names = experiment.hidden;
    hidden.push_back(std::find(names.begin(), names.end(), pin_key(i)) != names.end());
  }
  return hidden;
}

void hide_pins(Experiment& experiment, const std::vector<bool>& hidden) {
  std::erase_if(experiment.hidden, [](const std::string& name) { return name.starts_with("pin"); });
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    if (hidden[i]) experiment.hidden.push_back(pin_key(i));
  }
}

/// Keeps the reference pin of relative curves when its number changes.
void follow_reference(Experiment& experiment, const std::optional<std::size_t>& before, std::size_t after) {
  if (before) experiment.curves.relative_to = pin_key(after);
}

}  // namespace

void pin_current(App& app, Experiment& edited) {
  if (edited.pins.size() >= kMaximumPins) {
    app.messages.push_back({app.text.format("shell.message.pins", {{"count", counted(kMaximumPins)}}), false});
    return;
  }
  const auto same = std::find_if(edited.pins.begin(), edited.pins.end(),
                                 [&edited](const Pin& pin) { return pin.rope == edited.rope; });
  if (same != edited.pins.end()) {
    const std::string name = pin_label(*same, app.text, labels_need_dimension(edited));
    app.messages.push_back({app.text.format("shell.message.pinned_already", {{"name", name}}), false});
    return;
  }
  int slot = 1;
  const auto taken = [&edited](int s) {
    return s == static_cast<int>(edited.curves.slot) ||
           std::any_of(edited.pins.begin(), edited.pins.end(), [s](const Pin& pin) { return pin.slot == s; });
  };
  while (taken(slot)) ++slot;
  // The name belongs to these values.
  edited.pins.push_back({edited.rope, slot, std::exchange(edited.curves.name, {})});
}

void remove_pin(Experiment& experiment, std::size_t index) {
  if (index >= experiment.pins.size()) return;
  std::vector<bool> hidden = hidden_pins(experiment);
  const auto reference = reference_pin(experiment);
  const auto at = static_cast<std::ptrdiff_t>(index);
  hidden.erase(hidden.begin() + at);
  experiment.pins.erase(experiment.pins.begin() + at);
  hide_pins(experiment, hidden);
  follow_reference(experiment, reference, reference.value_or(0) - (reference > index ? 1 : 0));
  if (reference == index) experiment.curves.relative_to = CurveFields().relative_to;
}

void move_pin(Experiment& experiment, std::size_t from, std::size_t to) {
  if (std::max(from, to) >= experiment.pins.size()) return;
  std::vector<bool> hidden = hidden_pins(experiment);
  const Pin pin = experiment.pins[from];
  const bool was_hidden = hidden[from];
  const auto reference = reference_pin(experiment);
  const auto out = static_cast<std::ptrdiff_t>(from), in = static_cast<std::ptrdiff_t>(to);
  experiment.pins.erase(experiment.pins.begin() + out);
  hidden.erase(hidden.begin() + out);
  experiment.pins.insert(experiment.pins.begin() + in, pin);
  hidden.insert(hidden.begin() + in, was_hidden);
  hide_pins(experiment, hidden);
  std::size_t moved = reference.value_or(0);
  if (moved == from) {
    moved = to;
  } else if (from < moved && moved <= to) {
    --moved;
  } else if (to <= moved && moved < from) {
    ++moved;
  }
  follow_reference(experiment, reference, moved);
}

int slot_with(int colour, Dash dash) {
  const int rounds = (static_cast<int>(dash) - colour + kColours) % kColours;
  const int slot = colour + kColours * rounds;
  return slot == 0 ? kPinSlots : slot;  // slot 0 belongs to the current rope; this one looks the same
}

}  // namespace ropescope::ui
