#include "app/ui/opening.h"

#include <algorithm>
#include <utility>

#include "app/resources/gguf_model.h"
#include "app/resources/model_folder.h"
#include "app/ui/pins.h"
#include "app/ui/shell.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/missing_files.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope::ui {

namespace {

/// Loads a profile into the experiment; zoomed ranges belong to what was there before. A view that does not look at the
/// rope gives way to one that does.
void show_profile(App& app, Experiment next, const Profile& profile, const std::string& label,
                  const std::string& config, const std::string& model) {
  const View& view = find_view(next.view);
  if (view.subject && !view.subject(next, app.text).empty()) next.view = Experiment().view;
  next.rope = knobs_of(profile, label);
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

/// Among the files that were opened last.
void remember_opened(App& app, const std::string& path) {
  std::error_code ignored;
  const auto absolute = std::filesystem::absolute(path, ignored);
  remember_file(app.settings, ignored ? path : absolute.lexically_normal().string());
}

/// A restored figure says of the files that it was drawn from their names alone.
void ask_for_files(App& app, const std::string& figure) {
  for (const FileKnob& file : missing_files(app.history.current())) {
    Message message{app.text.format("shell.message.wants_file", {{"figure", short_name(figure)}, {"name", file.path}}),
                    false};
    message.stays = true;
    message.action = app.text["shell.message.choose_file"];
    message.opens = {PendingOpen::Kind::choose, file.path, file.key};
    app.messages.push_back(message);
  }
}

/// A model's file or a saved experiment. Throws InputError.
void open_model(App& app, const std::string& path) {
  if (is_figure_file(path) || is_experiment(path)) {
    app.history.record(load_experiment(path), false);
  } else {
    open_config(app, path);
  }
  remember_opened(app, path);
}

}  // namespace

void load_profiles(App& app) {
  const RopeKnobs& rope = app.history.current().rope;
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

void open_path(App& app, const std::string& path) {
  if (path.ends_with(".md")) return open_lesson(app, path);
  try {
    if (const std::optional<Experiment> figure = experiment_of_figure(path)) {
      app.history.record(*figure, false);
      ask_for_files(app, path);
      remember_opened(app, path);
    } else if (!open_in_view(app, path)) {
      open_model(app, path);
    }
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
  const RopeKnobs rope = app.history.current().rope;
  const auto found =
      std::find_if(app.profiles.begin(), app.profiles.end(), [&](const Profile& p) { return p.name == name; });
  if (found == app.profiles.end()) return;
  const Profile profile = *found;
  show_profile(app, app.history.current(), profile, rope.label, rope.config, rope.model);
}

namespace {

/// The rope of a model's file or of a saved experiment. Throws InputError.
RopeKnobs rope_of(const std::string& path) {
  if (is_figure_file(path) || is_experiment(path)) return load_experiment(path).rope;
  const Profile profile = load_model_config(path).profiles.front();
  RopeKnobs rope = knobs_of(profile, short_name(path));
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

/// What says how a model turns, and is no tensor, picture or lesson.
bool describes_model(const std::string& path) {
  return path.ends_with(".json") || is_model_folder(path) || is_gguf(path);
}

}  // namespace

void compare_with(App& app, const std::string& path) {
  try {
    Experiment next = app.history.current();
    const RopeKnobs rope = rope_of(path);
    if (!pin_as_first(app, next)) return;
    next.rope = rope;
    next.view = "decay";
    next.decay.show = "differences";
    std::erase_if(next.hidden, [](const std::string& key) { return key == "current" || key == pin_key(0); });
    follow_opening(next);
    reset_ranges(next);
    app.history.record(next, false);
    remember_opened(app, path);
  } catch (const InputError& error) {
    app.messages.push_back({app.text.say(error.words())});
  }
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
    app.messages.push_back({app.text.say(error.words())});
  }
  if (app.messages.size() == messages) compare_with(app, paths[1]);
}

}  // namespace ropescope::ui
