#include "app/ui/state.h"

#include <algorithm>
#include <filesystem>

#include "app/resources/files.h"
#include "app/resources/shelf.h"
#include "app/ui/app.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope::ui {

namespace {

namespace fs = std::filesystem;

constexpr const char* kExperimentFile = "last-experiment.json";
constexpr const char* kSettingsFile = "settings.json";
constexpr double kRest = 2, kLongest = 10, kRetry = 10;  ///< seconds

/// Moves a file to NAME.1, or the next number that is free; where it is now (where it was, if it cannot be moved).
fs::path set_aside(const fs::path& file) {
  std::error_code error;
  for (int number = 1; number < 1000; ++number) {
    const fs::path aside = file.string() + "." + std::to_string(number);
    if (fs::exists(aside, error)) continue;
    fs::rename(file, aside, error);
    return error ? file : aside;
  }
  return file;
}

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored);
}

void load_settings(App& app) {
  const fs::path file = app.places.state / kSettingsFile;
  if (!is_there(file)) return;
  try {
    app.settings = settings_from_json(read_file(file, kLargestJsonBytes), file.string());
  } catch (const InputError& error) {
    app.messages.push_back({app.text.format(
        "shell.message.settings_aside", {{"error", app.text.say(error.words())}, {"path", set_aside(file).string()}})});
  }
}

void load_experiment(App& app, bool crashed) {
  const fs::path file = app.places.state / kExperimentFile;
  if (!is_there(file)) return;
  try {
    const Experiment last = experiment_from_json(read_file(file, kLargestJsonBytes), file.string());
    if (!crashed || last == Experiment()) {
      app.history = History(last);
      return;
    }
    Message offer{app.text["shell.message.crashed"], false};
    offer.stays = true;
    offer.action = app.text["shell.message.crashed_open"];
    offer.opens = {PendingOpen::Kind::path, set_aside(file).string()};
    app.messages.push_back(offer);
  } catch (const InputError& error) {
    app.messages.push_back({app.text.format("shell.message.last_experiment", {{"error", app.text.say(error.words())},
                                                                              {"path", set_aside(file).string()}})});
  }
}

/// Recent files that another window has written since stay, after ours.
void merge_recent(App& app) {
  const fs::path file = app.places.state / kSettingsFile;
  if (!is_there(file)) return;
  try {
    std::vector<std::string>& recent = app.settings.recent;
    for (const std::string& path : settings_from_json(read_file(file, kLargestJsonBytes), file.string()).recent) {
      if (std::find(recent.begin(), recent.end(), path) == recent.end()) recent.push_back(path);
    }
    if (recent.size() > kMaximumRecent) recent.resize(kMaximumRecent);
  } catch (const InputError&) {
    // Broken by somebody since: what this window knows replaces it.
  }
}

/// Why the file could not be written; empty: it stands there.
Words write_state(const App& app, const char* name, const std::string& content, std::string& written) {
  if (content == written) return {};
  try {
    fs::create_directories(app.places.state);
    write_file(app.places.state / name, content);
    written = content;
    return {};
  } catch (const std::exception& error) {
    return words_of(error);
  }
}

}  // namespace

std::optional<double> save_due(const Saving& saving) {
  if (!saving.waiting) return std::nullopt;
  const double due = std::min(saving.edited + kRest, *saving.waiting + kLongest);
  return saving.failed ? std::max(due, *saving.failed + kRetry) : due;
}

void load_state(App& app, bool crashed) {
  app.store.keep_on(std::make_shared<Shelf>(app.places.state / "races"));
  load_settings(app);
  apply_language(app);
  load_experiment(app, crashed);
  app.saving.experiment = app.history.current();
  app.saving.settings = app.settings;
  app.saving.experiment_file = experiment_to_json(app.history.current());
  app.saving.settings_file = settings_to_json(app.settings);
}

void keep_state(App& app, double now) {
  Saving& saving = app.saving;
  if (!saving.allowed) return;
  if (saving.experiment != app.history.current() || saving.settings != app.settings) {
    saving.experiment = app.history.current();
    saving.settings = app.settings;
    saving.edited = now;
    if (!saving.waiting) saving.waiting = now;
  }
  const auto due = save_due(saving);
  if (due && now >= *due) save_state(app, now);
}

void save_state(App& app, double now) {
  Saving& saving = app.saving;
  if (!saving.allowed) return;
  if (settings_to_json(app.settings) != saving.settings_file) merge_recent(app);
  const Words experiment =
      write_state(app, kExperimentFile, experiment_to_json(app.history.current()), saving.experiment_file);
  const Words settings = write_state(app, kSettingsFile, settings_to_json(app.settings), saving.settings_file);
  saving.experiment = app.history.current();
  saving.settings = app.settings;
  const Words& why = experiment.empty() ? settings : experiment;
  if (why.empty()) {
    saving.waiting.reset();
    if (saving.failed) app.messages.push_back({app.text["shell.message.saved_again"], false});
    saving.failed.reset();
    saving.said = {};
    return;
  }
  saving.failed = now;
  if (!saving.waiting) saving.waiting = now;
  if (why != saving.said)
    app.messages.push_back({app.text.format("shell.message.not_saved", {{"error", app.text.say(why)}})});
  saving.said = why;
}

}  // namespace ropescope::ui
