// The steps of a frame around the drawing, opening files, and edits of pins.
//
// Contents: Opening; App; Pins.

#include "app/ui/app.h"

#include <imgui.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/fields.h"
#include "app/experiment/rope_spec.h"
#include "app/resources/formulas.h"
#include "app/resources/models.h"
#include "app/resources/shelf.h"
#include "app/resources/text.h"
#include "app/ui/controls.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/shell.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/messages.h"
#include "core/words.h"

namespace ropescope::ui {

// --- Opening -------------------------------------------------------------------------------------------------------

namespace {

/// Loads a profile into the experiment; zoomed ranges belong to what was there before. A view that does not look at the
/// rope gives way to one that does.
void show_profile(App& app, Experiment next, const Profile& profile, const std::string& label,
                  const std::string& config, const std::string& model) {
  const View& view = find_view(next.view);
  if (view.subject && !view.subject(next, app.text).empty()) next.view = Experiment().view;
  next.rope = fields_of(profile, label);
  next.rope.config = config;
  next.rope.model = model;
  next.rope.profile = profile.name;
  follow_opening(next);
  reset_ranges(next);
  std::erase(next.hidden, "current");
  app.history.record(next, false);
}

void open_config(App& app, const std::string& path) {
  ModelConfig config = load_model_config(path);
  app.profiles = std::move(config.profiles);
  app.profiles_of = path;
  Experiment next = app.history.current();
  offer_config(next, path);  // the model of an image shows its own layout too, when one looks for it
  show_profile(app, std::move(next), app.profiles.front(), short_name(path), path, "");
}

/// Offers a file to the shown view, then to the others: tensors and pictures belong to one of them.
bool open_in_view(App& app, const std::string& path) {
  Experiment next = app.history.current();
  std::vector<const View*> views{&find_view(next.view)};
  const auto all = all_views();
  views.insert(views.end(), all.begin(), all.end());
  for (const View* view : views) {
    if (!view->open || !view->open(next, path)) continue;
    next.view = view->id;
    app.history.record(next, false);
    return true;
  }
  return false;
}

/// Puts a file among those that were opened last. Links are no files.
void remember_opened(App& app, const std::string& path) {
  if (is_link(path)) return;
  std::error_code ignored;
  const auto absolute = std::filesystem::absolute(path, ignored);
  remember_file(app.settings, ignored ? path : absolute.lexically_normal().string());
}

/// Asks for the files that a restored figure was drawn from: it says their names alone.
void ask_for_files(App& app, const std::string& figure) {
  for (const FileField& file : missing_files(app.history.current())) {
    Message message{app.text.format("shell.message.wants_file", {{"figure", short_name(figure)}, {"name", file.path}}),
                    false};
    message.stays = true;
    message.action = app.text["shell.message.choose_file"];
    message.opens = {PendingOpen::Kind::choose, file.path, file.key};
    app.messages.push_back(message);
  }
}

/// Shows what a file or a link holds. Throws InputError: of a view that this version does not have.
void show_saved(App& app, const Experiment& saved) {
  find_view(saved.view);
  app.history.record(saved, false);
}

/// Opens a model's file or a saved experiment. Throws InputError.
void open_model(App& app, const std::string& path) {
  if (is_figure_file(path) || is_experiment(path)) {
    show_saved(app, load_experiment(path));
  } else {
    open_config(app, path);
  }
  remember_opened(app, path);
}

/// The profiles of the file or preset that the current rope came from, for the list; a file that is gone has none.
void load_profiles(App& app) {
  const RopeFields& rope = app.history.current().rope;
  const std::string source = rope.config.empty() ? rope.model : rope.config;
  if (source == app.profiles_of) return;
  app.profiles_of = source;
  app.profiles.clear();
  try {
    if (!rope.config.empty()) {
      app.profiles = load_model_config(rope.config).profiles;
    } else if (!rope.model.empty()) {
      app.profiles = load_preset(app.places.assets, rope.model).profiles;
    }
  } catch (const InputError&) {
    app.profiles.clear();  // the experiment is complete in itself; only the list of its sister profiles is missing
  }
}

/// Opens a step of a lesson, with the experiment that the link carries if it carries one.
void open_step(App& app, const StepLink& link) {
  open_lesson(app, link.lesson, link.step);
  if (link.experiment.empty() || !app.lesson) return;
  try {
    show_saved(app, load_experiment(link.experiment));
  } catch (const InputError& error) {
    app.messages.push_back({app.text.say(error.words())});
  }
}

}  // namespace

void open_path(App& app, const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    if (const auto step = step_of_link(path)) return open_step(app, *step);
    if (const auto preset = preset_named(app.places.assets, path)) return open_preset(app, *preset);
  }
  if (path.ends_with(".md")) return open_lesson(app, path);
  try {
    if (const std::optional<Experiment> figure = experiment_of_figure(path)) {
      show_saved(app, *figure);
      ask_for_files(app, path);
      remember_opened(app, path);
    } else if (!open_in_view(app, path)) {
      open_model(app, path);
    }
  } catch (const NotRotary& found) {
    app.messages.push_back({app.text.say(found.words()), false});
  } catch (const InputError& error) {
    app.messages.push_back({app.text.say(error.words())});
  }
}

void open_preset(App& app, const std::string& id) {
  try {
    const Preset preset = load_preset(app.places.assets, id);
    app.profiles = preset.profiles;
    app.profiles_of = id;
    show_profile(app, app.history.current(), preset.profiles.front(), preset.name, "", id);
  } catch (const InputError& error) {
    app.messages.push_back({app.text.say(error.words())});
  }
}

void open_profile(App& app, const std::string& name) {
  const RopeFields rope = app.history.current().rope;
  const auto found =
      std::find_if(app.profiles.begin(), app.profiles.end(), [&](const Profile& p) { return p.name == name; });
  if (found == app.profiles.end()) return;
  const Profile profile = *found;
  show_profile(app, app.history.current(), profile, rope.label, rope.config, rope.model);
}

namespace {

/// The rope of a model's file or of a saved experiment. Throws InputError.
RopeFields rope_of(const std::string& path) {
  if (is_figure_file(path) || is_experiment(path)) return load_experiment(path).rope;
  const Profile profile = load_model_config(path).profiles.front();
  RopeFields rope = fields_of(profile, short_name(path));
  rope.config = path;
  rope.profile = profile.name;
  return rope;
}

/// Makes the present rope the first pinned one, A; false, and a message: there is no room for it.
bool pin_as_first(App& app, Experiment& edited) {
  const auto same = std::find_if(edited.pins.begin(), edited.pins.end(),
                                 [&edited](const Pin& pin) { return pin.rope == edited.rope; });
  std::size_t at = static_cast<std::size_t>(same - edited.pins.begin());
  if (same == edited.pins.end()) {
    at = edited.pins.size();
    pin_current(app, edited);
    if (edited.pins.size() == at) return false;
  }
  move_pin(edited, at, 0);
  return true;
}

/// Whether a file says how a model turns, and is no tensor, picture or lesson.
bool describes_model(const std::string& path) {
  return path.ends_with(".json") || is_model_folder(path) || is_gguf(path);
}

/// Opens a model's file or the rope of a saved experiment beside the present rope, which is pinned as the first one,
/// and shows in what they differ. A file that cannot be used leaves the experiment as it was and says why.
void compare_with(App& app, const std::string& path) {
  try {
    Experiment next = app.history.current();
    const RopeFields rope = rope_of(path);
    if (!pin_as_first(app, next)) return;
    next.rope = rope;
    next.view = "decay";
    next.decay.show = DecayShow::differences;
    std::erase_if(next.hidden, [](const std::string& key) { return key == "current" || key == pin_key(0); });
    follow_opening(next);
    reset_ranges(next);
    app.history.record(next, false);
    remember_opened(app, path);
  } catch (const InputError& error) {
    app.messages.push_back({app.text.say(error.words())});
  }
}

}  // namespace

void open_paths(App& app, const std::vector<std::string>& paths) {
  if (paths.size() != 2 || !describes_model(paths[0]) || !describes_model(paths[1])) {
    for (const std::string& path : paths) open_path(app, path);
    return;
  }
  const std::size_t messages = app.messages.size();
  try {
    open_model(app, paths[0]);
  } catch (const InputError& error) {
    app.messages.push_back({app.text.say(error.words())});
  }
  if (app.messages.size() == messages) compare_with(app, paths[1]);
}

// --- App -----------------------------------------------------------------------------------------------------------

namespace {

constexpr double kAppLookEvery = 0.5;  ///< seconds between looks at the files of the shown figures

}  // namespace

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
  // The name is that of these values.
  edited.pins.push_back({edited.rope, slot, std::exchange(edited.curves.name, {})});
}

namespace {

/// Whether R is held, and is no letter of a text.
bool flips(const App& app) {
  const ImGuiIO& io = ImGui::GetIO();
  return key_down(Key::r) && !io.KeyCtrl && !io.KeyAlt && !io.WantTextInput && app.dialog.kind == DialogKind::none;
}

/// Whether the files of the shown figures changed; looks at the discs at most twice a second, and is false in between.
bool files_changed_lately(App& app) {
  const double now = ImGui::GetTime();
  if (now - app.looked_at < kAppLookEvery) return false;
  app.looked_at = now;
  return files_changed(app);
}

/// Figures that could not be made say why, in place of what they would show.
void say_failure(ViewResult& result, const std::string& why) {
  for (Panel& panel : result.panels) {
    if (!panel.figure.stale) continue;
    panel.figure.stale = false;
    panel.figure.empty_message = why;
  }
  result.stale = false;
  result.status = why;
}

}  // namespace

bool files_changed(const App& app) {
  if (!app.result_of) return false;
  const View& view = find_view(app.result_of->view);
  return view.files && view.files(*app.result_of) != app.result_files;
}

void refresh_figures(App& app, const Experiment& edited) {
  Experiment experiment = edited;
  const View& view = find_view(experiment.view);
  if (view.follows_pointer) experiment.pointer = app.plot.pointer;
  if (view.flip && flips(app)) view.flip(experiment, ImGui::GetIO().KeyShift);
  const bool same = app.result_of && *app.result_of == experiment && !files_changed_lately(app);
  if (same && !app.result.stale) return;
  app.stopped = app.stopped && same;
  app.store.begin_pass();
  if (app.stopped) {  // a pass that asks for nothing stops the worker; the last finished figures stay
    app.store.end_pass();
    app.result.status = app.text["shell.stopped"];
    return;
  }
  // Looked at before: what changes meanwhile is seen at the next look.
  app.result_files = view.files ? view.files(experiment) : std::vector<FileStamp>();
  try {
    app.result = draw_view(view, experiment, app.text, app.store);
    if (const Words why = app.store.failure(); !why.empty()) say_failure(app.result, app.text.say(why));
  } catch (const std::exception& error) {
    // What was shown stays; asked again it would fail again, so this happens once an experiment.
    app.messages.push_back({app.text.say(words_of(error))});
    app.result.stale = false;
  }
  app.store.end_pass();
  app.result_of = experiment;
  cover_lesson(app);
}

void play(App& app, double seconds) {
  constexpr double kLongest = 0.1;  // after a pause of the whole program it goes on where it was
  Experiment next = app.history.current();
  const Player* player = player_of(next);
  if (!player || !player->advance || !player->playing(next)) return;
  player->advance(next, std::min(seconds, kLongest));
  clamp(next);
  app.history.amend(next);
  app.animated = true;
}

namespace {

/// Puts everything back as it was before anybody chose; the view stays, and one step of undo brings it all back.
void start_anew(App& app) {
  Experiment next;
  next.view = app.history.current().view;
  app.history.record(next, false);
}

/// Lets the field take the path, as if it had been typed.
void choose_file(App& app, const std::string& field, const std::string& path) {
  const Experiment before = app.history.current();
  Experiment next = before;
  const View& view = find_view(next.view);
  FieldList fields = panel_fields(view, next);
  if (Field* taken = find_field(fields, field)) taken->as<std::string>() = path;
  if (view.settle) view.settle(before, next);
  app.history.record(next, false);
}

/// Opens the list of the files that the field takes.
void ask_for_file(App& app, const std::string& field) {
  for (const FileField& file : missing_files(app.history.current())) {
    if (file.key == field) return open_file_dialog(app, field, std::string(file.endings), {});
  }
}

/// Asks for fonts with the characters that were drawn for the first time (typed, or in the name of a file).
void load_glyphs(App& app) {
  const std::size_t before = app.asked_for.size();
  app.asked_for.merge(app.writing.wanted.characters);
  app.writing.wanted.characters.clear();
  if (app.asked_for.size() != before) app.requests.rebuild_fonts = true;
}

}  // namespace

void finish_frame(App& app, Experiment& edited) {
  // What the controls edited was clamped before the figures were drawn; these have handles and menus of their own.
  if (!app.result_of || edited != *app.result_of) clamp(edited);
  const bool held = ImGui::IsAnyMouseDown() || ImGui::IsAnyItemActive();
  if (edited != app.history.current()) app.history.record(edited, held);
  if (!held) app.history.seal();
  const PendingOpen pending = std::exchange(app.pending, {});
  if (pending.kind == PendingOpen::Kind::path) {
    if (pending.field == kCompared) {
      compare_with(app, pending.name);
    } else {
      open_path(app, pending.name);
    }
  }
  if (pending.kind == PendingOpen::Kind::preset) open_preset(app, pending.name);
  if (pending.kind == PendingOpen::Kind::profile) open_profile(app, pending.name);
  if (pending.kind == PendingOpen::Kind::defaults) start_anew(app);
  if (pending.kind == PendingOpen::Kind::choose) ask_for_file(app, pending.field);
  if (pending.kind == PendingOpen::Kind::field) choose_file(app, pending.field, pending.name);
  load_profiles(app);
  load_glyphs(app);
  if (!app.settings.language.empty() && app.settings.language != app.text.language()) apply_language(app);
  keep_state(app, ImGui::GetTime());
}

double text_scale_of(const App& app) {
  return app.lesson && app.lesson->room ? std::max(app.settings.text_scale, app.room_scale) : app.settings.text_scale;
}

void apply_settings(App& app, float content_scale) {
  const float scale = content_scale * static_cast<float>(text_scale_of(app) / 100);
  app.ui.scale = scale;
  std::string warning;
  app.ui.fonts = build_fonts(app.font_files, app.text, utf8_of(app.asked_for), scale, warning);
  ImGui::GetIO().UserData = &app.writing;
  if (!warning.empty()) app.messages.push_back({warning, false});
  apply_theme(app);
}

void apply_language(App& app) {
  std::string& chosen = app.settings.language;
  try {
    const std::vector<std::string> known = languages(app.places.assets);
    if (std::find(known.begin(), known.end(), chosen) == known.end()) chosen.clear();
    const std::string code = chosen.empty() ? language_of_locale(app.places.assets) : chosen;
    if (code == app.text.language()) return;
    app.text = Text::load(app.places.assets, code, Text::FormulaForm::drawn);
    if (const std::shared_ptr<Shelf>& shelf = app.store.shelf(); shelf && app.text.formulas()) {
      app.text.formulas()->keep_on({shelf, &shelf->inner("formulas", {16, std::uint64_t{64} << 20})});
    }
    app.result_of.reset();
    app.requests.rebuild_fonts = true;
  } catch (const InputError& error) {
    app.messages.push_back({app.text.say(error.words())});
  }
}

void apply_theme(App& app) {
  app.ui.palette = palette(parse_theme(app.settings.theme));
  apply_style(app.ui.palette, app.ui.scale);
}

void say_copied(App& app) {
  app.copied = ImGui::GetTime();
}

double seconds_to_frame(const App& app) {
  constexpr double kCaretBlink = 0.4, kProgress = 0.1;
  if (app.animated || is_unsettled()) return 0;
  const double now = ImGui::GetTime();
  double due = std::numeric_limits<double>::infinity();
  const auto at = [&due](double time) { due = std::min(due, time); };
  if (const auto save = save_due(app.saving); save && app.saving.allowed) at(*save);
  for (const Message& message : app.messages) {
    if (const auto end = end_of(message)) at(*end);
    if (message.since < 0) at(now);  // said after its place was drawn
  }
  if (app.copied >= 0 && now < app.copied + kCopiedSeconds) at(app.copied + kCopiedSeconds);
  if (app.file_job) at(now + kProgress);
  if (app.lesson) at(now + kAppLookEvery);  // its file may change, and the room has a clock
  if (ImGui::GetIO().WantTextInput) at(now + kCaretBlink);
  if (const auto change = next_change(app.ui.state, now)) at(*change);
  if (app.result.stale && !app.stopped && !app.store.busy()) at(now);
  return std::max(0.0, due - now);
}

// --- Pins ----------------------------------------------------------------------------------------------------------

namespace {

constexpr int kColours = 5;

/// Which of so many pins are hidden.
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

/// Keeps the curves relative to the same pin where its number became another one.
void follow_reference(Experiment& experiment, const std::optional<std::size_t>& before, std::size_t after) {
  if (before) experiment.curves.relative_to = pin_key(after);
}

}  // namespace

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
  return slot == 0 ? kPinSlots : slot;  // slot 0 is that of the current rope; this one looks the same
}

}  // namespace ropescope::ui
