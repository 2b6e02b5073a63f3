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
#include "app/resources/result_cache.h"
#include "app/resources/text.h"
#include "app/ui/check_start.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/drawing/style.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/messages.h"
#include "core/message.h"

namespace ropescope::ui {

// --- Opening -------------------------------------------------------------------------------------------------------

namespace {

/// Loads a profile into the experiment; zoomed ranges of the previous one are dropped. A view that does not use the
/// rope is replaced by one that does.
void show_profile(App& app, Experiment next, const Profile& profile, const std::string& label,
                  const std::string& config, const std::string& model) {
  const View& view = find_view(next.view);
  if (view.subject && !view.subject(next, app.text).empty()) next.view = Experiment().view;
  next.rope = to_rope_fields(profile, label);
  next.rope.config = config;
  next.rope.model = model;
  next.rope.profile = profile.name;
  follow_opening(next);
  reset_ranges(next);
  std::erase(next.hidden, kCurrentKey);
  app.history.record(next, false);
}

void open_config(App& app, const std::string& path) {
  ModelConfig config = load_model_config(path);
  app.profiles = std::move(config.profiles);
  app.profiles_of = path;
  Experiment next = app.history.current();
  offer_config(next, path);  // an image model offers its own layout too, for when a layout view is opened
  show_profile(app, std::move(next), app.profiles.front(), short_name(path), path, "");
}

/// Offers a file to the current view, then to the others: tensors and pictures belong to one of them.
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

/// Adds a file to the recent ones. Links are not files.
void remember_opened(App& app, const std::string& path) {
  if (is_link(path)) return;
  std::error_code ignored;
  const auto absolute = std::filesystem::absolute(path, ignored);
  remember_file(app.settings, ignored ? path : absolute.lexically_normal().string());
}

/// Requests the files of a restored figure, which has only their names.
void ask_for_files(App& app, const std::string& figure) {
  for (const FileField& file : missing_files(app.history.current())) {
    WindowMessage message{
        app.text.format("shell.message.wants_file", {{"figure", short_name(figure)}, {"name", file.path}}), false};
    message.stays = true;
    message.action = app.text["shell.message.choose_file"];
    message.opens = {PendingOpen::Kind::choose, file.path, file.key};
    app.messages.push_back(message);
  }
}

/// Shows the content of a file or a link. Throws InputError if this version lacks its view.
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

/// Loads the profiles of the file or preset of the current rope, for the list; a missing file has none.
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
    app.profiles.clear();  // the experiment is complete; only the list of its file's other profiles is missing
  }
}

/// Opens a step of a lesson, without one the first, with the experiment from the link if there is one.
void open_step(App& app, const StepLink& link) {
  if (link.step.empty()) app.settings.lesson_places.erase(link.lesson);
  open_lesson(app, link.lesson, link.step);
  if (link.experiment.empty() || !app.lesson) return;
  try {
    show_saved(app, load_experiment(link.experiment));
  } catch (const InputError& error) {
    app.messages.push_back({app.text.render(error.words())});
  }
}

/// Returns the rope of a model's file or of a saved experiment. Throws InputError.
RopeFields rope_of(const std::string& path) {
  if (is_figure_file(path) || is_experiment(path)) return load_experiment(path).rope;
  const Profile profile = load_model_config(path).profiles.front();
  RopeFields rope = to_rope_fields(profile, short_name(path));
  rope.config = path;
  rope.profile = profile.name;
  return rope;
}

/// Pins the current rope first, as A; returns false with a message if there is no free slot.
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

/// Returns whether a file defines a model's rotary embedding, so it is not a tensor, picture or lesson.
bool describes_model(const std::string& path) {
  return path.ends_with(".json") || is_model_folder(path) || is_gguf(path);
}

/// Opens a model's file or the rope of a saved experiment next to the current rope, which is pinned first, and shows
/// their differences. If the file cannot be used, the experiment is unchanged and a message gives the reason.
void compare_with(App& app, const std::string& path) {
  try {
    Experiment next = app.history.current();
    const RopeFields rope = rope_of(path);
    if (!pin_as_first(app, next)) return;
    next.rope = rope;
    next.view = "decay";
    next.decay.show = DecayShow::differences;
    std::erase_if(next.hidden, [](const std::string& key) { return key == kCurrentKey || key == pin_key(0); });
    follow_opening(next);
    reset_ranges(next);
    app.history.record(next, false);
    remember_opened(app, path);
  } catch (const InputError& error) {
    app.messages.push_back({app.text.render(error.words())});
  }
}

// --- App -----------------------------------------------------------------------------------------------------------

/// Returns whether R is held, and not typed into a text.
bool flips(const App& app) {
  const ImGuiIO& io = ImGui::GetIO();
  return key_down(Key::r) && !io.KeyCtrl && !io.KeyAlt && !io.WantTextInput && app.dialog.kind == DialogKind::none;
}

/// Returns whether the input files changed; checks the disk at most twice per second, and returns false in between.
bool files_changed_lately(App& app) {
  const double now = ImGui::GetTime();
  if (now - app.looked_at < kFileCheckInterval) return false;
  app.looked_at = now;
  return files_changed(app);
}

/// Shows why figures could not be computed, in place of them.
void show_failure(ViewResult& result, const std::string& why) {
  for (Panel& panel : result.panels) {
    if (!panel.figure.stale) continue;
    panel.figure.stale = false;
    panel.figure.empty_message = why;
  }
  result.stale = false;
  result.status = why;
}

/// Restores the values of a new window; the view stays, and one step of undo restores everything.
void start_anew(App& app) {
  Experiment next = fresh_experiment(app);
  next.view = app.history.current().view;
  app.history.record(next, false);
}

/// Restores the user's experiment that a lesson or the start screen replaced.
void restore_work(App& app) {
  if (!app.work) return;
  const Experiment work = *app.work;
  close_lesson(app);
  app.history.record(work, false);
}

bool leads_back(const WindowMessage& message) {
  return message.opens.kind == PendingOpen::Kind::back;
}

/// Removes the offer of the user's experiment when it is shown again, and in presentation mode, where it would be in
/// the way.
void withdraw_way_back(App& app) {
  if (!app.work || (app.history.current() != *app.work && !(app.lesson && app.lesson->room))) return;
  std::erase_if(app.messages, leads_back);
  app.work.reset();
}

/// Sets the path in the field, as if it had been typed.
void choose_file(App& app, const std::string& field, const std::string& path) {
  edit_field(app, field, [&path](Field& taken) { taken.as<std::string>() = path; });
}

/// Requests fonts with the characters drawn for the first time (typed, or in a file name).
void load_glyphs(App& app) {
  const std::size_t before = app.requested_glyphs.size();
  app.requested_glyphs.merge(app.writing.wanted.characters);
  app.writing.wanted.characters.clear();
  if (app.requested_glyphs.size() != before) app.requests.rebuild_fonts = true;
}

// --- Pins ----------------------------------------------------------------------------------------------------------

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

void open_path(App& app, const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    if (is_link(path)) {
      app.student = is_student_link(path);
      if (path == std::string(kOwnAddress) + std::string(kStudentLink)) return;
    }
    if (const auto step = parse_step_link(path)) return open_step(app, *step);
    try {
      const NamedModel named = resolve_model(path);
      if (named.preset) return open_preset(app, *named.preset);
      if (named.exists) return open_path(app, named.path);
    } catch (const InputError& error) {
      app.messages.push_back({app.text.render(error.words())});
      return;
    }
  }
  if (path.ends_with(".md")) return open_lesson(app, path);
  try {
    if (const std::optional<Experiment> figure = read_figure_experiment(path)) {
      show_saved(app, *figure);
      ask_for_files(app, path);
      remember_opened(app, path);
    } else if (!open_in_view(app, path)) {
      open_model(app, path);
    }
  } catch (const NoRotaryEmbedding& found) {
    app.messages.push_back({app.text.render(found.words()), false});
  } catch (const InputError& error) {
    app.messages.push_back({app.text.render(error.words())});
  }
}

void open_preset(App& app, const std::string& id) {
  try {
    const Preset preset = load_preset(app.places.assets, id);
    app.profiles = preset.profiles;
    app.profiles_of = id;
    show_profile(app, app.history.current(), preset.profiles.front(), preset.name, "", id);
  } catch (const InputError& error) {
    app.messages.push_back({app.text.render(error.words())});
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

void load_check_examples(App& app) {
  app.examples.clear();
  app.examples_language = app.text.language();
  try {
    for (const CheckExample& example : load_examples(app.places.assets)) {
      const std::filesystem::path file = app.places.assets / "examples" / (example.name + ".safetensors");
      std::error_code ignored;
      if (!std::filesystem::exists(file, ignored)) continue;
      const auto title = example.titles.find(app.text.language());
      const auto& shown = title == example.titles.end() ? example.titles.at(kEnglish) : title->second;
      app.examples.push_back({example.name, shown, file.string(), example_picture(example.arguments)});
    }
  } catch (const InputError& error) {
    app.messages.push_back({app.text.render(error.words())});
  }
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

void offer_way_back(App& app, const Experiment& work) {
  Experiment fresh = fresh_experiment(app);
  fresh.view = work.view;
  if (work == fresh || work == app.history.current()) return;
  std::erase_if(app.messages, leads_back);
  app.work = work;
  WindowMessage offer{app.text["shell.message.work"], false};
  offer.stays = true;
  offer.action = app.text["shell.message.work_back"];
  offer.opens = {PendingOpen::Kind::back, {}};
  app.messages.push_back(offer);
}

void open_paths(App& app, const std::vector<std::string>& paths) {
  if (paths.size() != 2 || !describes_model(paths[0]) || !describes_model(paths[1])) {
    for (const std::string& path : paths) open_path(app, path);
    return;
  }
  const std::size_t messages = app.messages.size();
  try {
    open_model(app, paths[0]);
  } catch (const InputError& error) {
    app.messages.push_back({app.text.render(error.words())});
  }
  if (app.messages.size() == messages) compare_with(app, paths[1]);
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
  if (same && !app.result.stale) return prepare_next_step(app);
  app.stopped = app.stopped && same;
  app.store.begin_pass();
  if (app.stopped) {  // a pass without requests stops the worker; the last finished figures stay
    app.store.end_pass();
    app.result.status = app.text["shell.stopped"];
    return;
  }
  // Checked beforehand: a change meanwhile is detected at the next check.
  app.result_files = view.files ? view.files(experiment) : std::vector<FileStamp>();
  try {
    app.result = draw_view(view, experiment, app.text, app.store);
    if (const Message why = app.store.failure(); !why.empty()) show_failure(app.result, app.text.render(why));
  } catch (const std::exception& error) {
    // The figures stay; a retry would fail again, so this happens once per experiment.
    app.messages.push_back({app.text.render(words_of(error))});
    app.result.stale = false;
  }
  app.store.end_pass();
  app.result_of = experiment;
  cover_lesson(app);
}

void play(App& app, double seconds) {
  constexpr double kLongest = 0.1;  // after a pause of the whole program it continues where it was
  Experiment next = app.history.current();
  const Player* player = find_player(next);
  if (!player || !player->advance || !player->playing(next)) return;
  player->advance(next, std::min(seconds, kLongest));
  clamp(next);
  app.history.amend(next);
  app.animated = true;
}

void finish_frame(App& app, Experiment& edited) {
  // Edits by controls were clamped before the figures were drawn; these come from handles and menus of the figures.
  if (!app.result_of || edited != *app.result_of) clamp(edited);
  const bool held = ImGui::IsAnyMouseDown() || ImGui::IsAnyItemActive() || app.plot.gesture;
  if (edited != app.history.current()) app.history.record(edited, held);
  if (!held) app.history.end_merge();
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
  if (pending.kind == PendingOpen::Kind::field) choose_file(app, pending.field, pending.name);
  if (pending.kind == PendingOpen::Kind::back) restore_work(app);
  withdraw_way_back(app);
  load_profiles(app);
  load_glyphs(app);
  if (!app.settings.language.empty() && app.settings.language != app.text.language()) apply_language(app);
  keep_state(app, ImGui::GetTime());
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
  app.settings.theme = app.settings.theme == "dark" ? "light" : "dark";
}

void apply_theme(App& app) {
  app.ui.palette = palette(parse_theme(app.settings.theme));
  if (app.settings.contrast) app.ui.palette = with_contrast(app.ui.palette);
  apply_style(app.ui.palette, app.ui.scale);
}

void say_copied(App& app) {
  app.copied = ImGui::GetTime();
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
