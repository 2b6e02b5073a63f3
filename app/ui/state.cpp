// Files written in the background, and saving of the state.
//
// Contents: Files; State.

#include "app/ui/state.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include "app/figure/pages/gif.h"
#include "app/figure/pages/page.h"
#include "app/resources/files.h"
#include "app/resources/result_cache.h"
#include "app/ui/lesson/lesson_play.h"
#include "app/views/shared/figures.h"
#include "core/formats/json.h"
#include "core/message.h"

namespace ropescope::ui {

namespace {

// --- Files ---------------------------------------------------------------------------------------------------------

constexpr double kFramesPerSecond = 15;
constexpr double kMaxFrames = 600;
constexpr PageSize kSize{960, 640, false};
constexpr double kGifDrawingShare = 0.85;

// --- State ---------------------------------------------------------------------------------------------------------

namespace fs = std::filesystem;

constexpr const char* kExperimentFile = "last-experiment.json";
constexpr const char* kSettingsFile = "settings.json";
constexpr double kRest = 2, kLongest = 10, kRetry = 10;  ///< seconds

/// Moves a file to NAME.1, or the next free number; returns its new path (the old one if it cannot be moved).
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
    app.messages.push_back({app.text.format("shell.message.settings_aside", {{"error", app.text.render(error.words())},
                                                                             {"path", set_aside(file).string()}})});
  }
}

void load_experiment(App& app, bool crashed) {
  const fs::path file = app.places.state / kExperimentFile;
  app.history = History(fresh_experiment(app));
  if (!is_there(file)) return;
  try {
    const Experiment last = experiment_from_json(read_file(file, kLargestJsonBytes), file.string());
    find_view(last.view);  // throws if this version lacks it
    if (!crashed || last == Experiment() || last == fresh_experiment(app)) {
      app.history = History(last);
      return;
    }
    WindowMessage offer{app.text["shell.message.crashed"], false};
    offer.stays = true;
    offer.action = app.text["shell.message.crashed_open"];
    offer.opens = {PendingOpen::Kind::path, set_aside(file).string()};
    app.messages.push_back(offer);
  } catch (const InputError& error) {
    app.messages.push_back({app.text.format("shell.message.last_experiment", {{"error", app.text.render(error.words())},
                                                                              {"path", set_aside(file).string()}})});
  }
}

/// Keeps recent files that another window wrote after our last save.
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
    // Damaged meanwhile: replaced by the data of this window.
  }
}

/// Writes a file of the state; returns why it could not be written, empty on success.
Message write_state(const App& app, const char* name, const std::string& content, std::string& written) {
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

// --- Files ---------------------------------------------------------------------------------------------------------

FileJob::FileJob(Work work, std::string path)
    : work_(std::move(work)), path_(std::move(path)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void FileJob::run(const std::stop_token& stop) {
  try {
    const std::string bytes = work_(stop, [this](double share) { progress_ = share; });
    if (!bytes.empty() && !stop.stop_requested()) {
      write_file(path_, bytes);
      written_ = true;
    }
  } catch (const std::exception& error) {
    failure_ = words_of(error);
  }
  finished_ = true;
}

void watch_file_job(App& app) {
  if (!app.file_job || !app.file_job->finished()) return;
  const std::shared_ptr<FileJob> job = std::exchange(app.file_job, nullptr);
  if (job->written()) {
    app.messages.push_back({app.text.format("shell.message.saved", {{"path", job->path()}}), false});
  } else if (job->failure().empty()) {
    app.messages.push_back({app.text.format("shell.message.save_stopped", {{"path", job->path()}}), false});
  } else {
    app.messages.push_back({app.text.render(job->failure())});
  }
}

bool stop_file_job(App& app) {
  if (!app.file_job) return false;
  app.file_job->stop();
  return true;
}

bool can_save_gif(const App& app) {
  return !find_slider_range(app.history.current(), app.ui.sweep.last).key.empty();
}

void start_gif(App& app, const Experiment& experiment, const std::string& path) {
  Animation animation{experiment, {find_slider_range(experiment, app.ui.sweep.last)}, 2, true};
  // An even number, so that the turning point is a frame.
  const double frames = std::clamp(2 * std::round(app.settings.sweep_seconds * kFramesPerSecond), 2.0, kMaxFrames);
  animation.frames = static_cast<std::size_t>(frames);
  FramePaint paint;
  paint.size = kSize;
  paint.theme = page_style(app.settings).theme;
  // A slow sweep has the same number of frames, each shown longer.
  const double per_second = std::max(1.0, frames / (2 * app.settings.sweep_seconds));
  const auto draw = [animation = std::move(animation), paint, text = app.text, per_second](
                        const std::stop_token& stop, const FileJob::Progress& progress) {
    Store store(Store::Mode::synchronous, 1);  // the window continues meanwhile
    const auto count = static_cast<double>(animation.frames);
    const std::vector<std::string> drawn = draw_frames(animation, paint, text, store, stop, [&](std::size_t done) {
      progress(kGifDrawingShare * static_cast<double>(done) / count);
    });
    if (stop.stop_requested()) return std::string();
    return encode_gif(drawn, {per_second, 0}, stop,
                      [&](double share) { progress(kGifDrawingShare + (1 - kGifDrawingShare) * share); });
  };
  app.file_job = std::make_shared<FileJob>(draw, path);
}

// --- State ---------------------------------------------------------------------------------------------------------

std::optional<double> find_save_time(const Saving& saving) {
  if (!saving.waiting) return std::nullopt;
  const double due = std::min(saving.edited + kRest, *saving.waiting + kLongest);
  return saving.failed ? std::max(due, *saving.failed + kRetry) : due;
}

void load_state(App& app, bool crashed) {
  app.store.keep_on(std::make_shared<ResultCache>(app.places.state / "races"));
  load_settings(app);
  apply_language(app);
  load_experiment(app, crashed);
  app.saving.experiment = app.history.current();
  app.saving.settings = app.settings;
  app.saving.experiment_file = experiment_to_json(app.history.current());
  app.saving.settings_file = settings_to_json(app.settings);
  // Saved again once its step has been shown for a while: a lesson that crashes the program does so once.
  const std::string lesson = std::exchange(app.settings.lesson_open, {});
  if (lesson.empty()) return;
  save_state(app);
  if (crashed) open_lesson(app, lesson);
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
  const auto due = find_save_time(saving);
  if (due && now >= *due) save_state(app, now);
}

void save_state(App& app, double now) {
  Saving& saving = app.saving;
  if (!saving.allowed) return;
  if (settings_to_json(app.settings) != saving.settings_file) merge_recent(app);
  const Message experiment =
      write_state(app, kExperimentFile, experiment_to_json(app.history.current()), saving.experiment_file);
  const Message settings = write_state(app, kSettingsFile, settings_to_json(app.settings), saving.settings_file);
  saving.experiment = app.history.current();
  saving.settings = app.settings;
  const Message& why = experiment.empty() ? settings : experiment;
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
    app.messages.push_back({app.text.format("shell.message.not_saved", {{"error", app.text.render(why)}})});
  saving.said = why;
}

}  // namespace ropescope::ui
