// State kept between sessions and files written in the background: user settings, the last experiment, slow file
// exports. result_cache.h of app/resources keeps results. Read settings.h and app.h first.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "app/experiment/experiment.h"
#include "app/ui/app.h"
#include "app/ui/settings.h"
#include "core/message.h"

namespace ropescope::ui {

// --- Files ---------------------------------------------------------------------------------------------------------

/// A file that takes seconds to create: computed and written in the background.
class FileJob {
 public:
  using Progress = std::function<void(double share)>;
  /// Returns the bytes of the file; empty if cancelled. Its exceptions become failure().
  using Work = std::function<std::string(const std::stop_token&, const Progress&)>;
  FileJob(Work work, std::string path);

  const std::string& path() const { return path_; }
  double progress() const { return progress_; }
  bool finished() const { return finished_; }
  void stop() { thread_.request_stop(); }
  /// Returns whether a finished job wrote the file. If not, failure() gives the reason, empty if the job was cancelled.
  bool written() const { return written_; }
  const Message& failure() const { return failure_; }

 private:
  void run(const std::stop_token& stop);

  Work work_;
  std::string path_;
  std::atomic<double> progress_{0};
  std::atomic<bool> finished_{false};
  bool written_ = false;
  Message failure_;
  std::jthread thread_;  // last: it ends before the data that it uses
};

/// Reports the end of the job and its outcome; called once per frame.
void watch_file_job(App& app);
/// Requests cancellation of the job; returns false if there is none.
bool stop_file_job(App& app);

/// Returns whether there is a field whose sweep can be saved.
bool can_save_gif(const App& app);
/// Starts saving the sweep of the last swept field, back and forth.
void start_gif(App& app, const Experiment& experiment, const std::string& path);

// --- State ---------------------------------------------------------------------------------------------------------

/// Returns when to write the state: two seconds after the last edit, and at most ten after the first of continuous
/// edits; ten after a failed attempt. nullopt if nothing is unsaved.
std::optional<double> find_save_time(const Saving& saving);

/// Loads settings and the last experiment. Files that cannot be read (broken, or from a newer version) are kept as
/// NAME.1 (.2, …) and reported; the defaults are used. `crashed`: the last window crashed, so the last experiment, a
/// possible cause, is also kept in this way and offered.
void load_state(App& app, bool crashed = false);
/// Detects edits and writes them when due; called once per frame.
void keep_state(App& app, double now);
/// Writes changes now. Never throws: shows a message instead, and tries again later. The experiment is written even if
/// the settings cannot be; recent files of other windows are preserved.
void save_state(App& app, double now = 0);

}  // namespace ropescope::ui
