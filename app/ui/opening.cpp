// Opening of files, links, presets and profiles.
//
// Contents: Opening; Selected.

#include "app/ui/opening.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/fields.h"
#include "app/experiment/rope_spec.h"
#include "app/resources/models.h"
#include "app/resources/text.h"
#include "app/ui/lesson/lesson_play.h"
#include "app/ui/settings.h"
#include "app/views/shared/messages.h"
#include "core/message.h"

namespace ropescope::ui {

namespace {

// --- Opening -------------------------------------------------------------------------------------------------------

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

// --- Selected ------------------------------------------------------------------------------------------------------

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

}  // namespace

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

void open_selected(App& app) {
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
}

}  // namespace ropescope::ui
