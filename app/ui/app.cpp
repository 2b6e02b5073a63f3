#include "app/ui/app.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/experiment/partial_fields.h"
#include "app/resources/language.h"
#include "app/ui/controls.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/opening.h"
#include "app/ui/shell.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/missing_files.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope::ui {

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
    return std::any_of(edited.pins.begin(), edited.pins.end(), [s](const Pin& pin) { return pin.slot == s; });
  };
  while (taken(slot)) ++slot;
  edited.pins.push_back({edited.rope, slot});
}

namespace {

/// R is held, and it is no letter of a text.
bool flips(const App& app) {
  const ImGuiIO& io = ImGui::GetIO();
  return key_down(Key::r) && !io.KeyCtrl && !io.KeyAlt && !io.WantTextInput && app.dialog.kind == DialogKind::none;
}

/// The same, at most twice a second.
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

/// Everything as it was before anybody chose; the view stays, and one step of undo brings it all back.
void start_anew(App& app) {
  Experiment next;
  next.view = app.history.current().view;
  app.history.record(next, false);
}

/// The knob takes the path, as if it had been typed.
void choose_file(App& app, const std::string& field, const std::string& path) {
  class Setter : public PartialFields {
   public:
    Setter(const std::string& key, const std::string& path) : key_(key), path_(path) {}
    void text(const TextField& text, std::string& value) override {
      if (text.key == key_) value = path_;
    }

   private:
    const std::string &key_, &path_;
  };
  Experiment next = app.history.current();
  Setter setter(field, path);
  edit(find_view(next.view), setter, next);
  app.history.record(next, false);
}

/// A list of the files that the knob takes.
void ask_for_file(App& app, const std::string& field) {
  for (const FileKnob& file : missing_files(app.history.current())) {
    if (file.key == field) return open_file_dialog(app, field, std::string(file.endings), {});
  }
}

/// Characters that were drawn for the first time (typed, or in the name of a file) come with the next fonts.
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
  if (app.file_job) at(now + kProgress);
  if (app.lesson) at(now + kAppLookEvery);  // its file may change, and the room has a clock
  if (ImGui::GetIO().WantTextInput) at(now + kCaretBlink);
  if (const auto change = next_change(app.ui.state, now)) at(*change);
  if (app.result.stale && !app.stopped && !app.store.busy()) at(now);
  return std::max(0.0, due - now);
}

}  // namespace ropescope::ui
