// State kept between sessions and files written in the background: user settings, the last experiment, slow file
// exports. Used by app.h; result_cache.h of app/resources keeps results.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/experiment/figure_file.h"
#include "app/experiment/page_fields.h"
#include "app/figure/palette.h"
#include "core/message.h"

namespace ropescope::ui {

// --- Settings ------------------------------------------------------------------------------------------------------

/// Settings of the user, not of the experiment: kept between sessions, not undone.
struct Settings {
  std::string theme = "dark";  ///< "dark" or "light"
  double text_scale = 100;     ///< percent, kSmallestText…kLargestText
  std::string language = {};   ///< "ja"; empty: the locale's
  bool controls_open = true;
  double sweep_seconds = 5;         ///< duration of a sweep from end to end, kFastestSweep…kSlowestSweep
  std::vector<std::string> recent;  ///< recently opened files, newest first
  std::string folder;               ///< last folder of the file dialogs
  PageFields save;                  ///< of figures in files
  bool motion = true;               ///< lessons animate transitions between steps
  std::map<std::string, std::string> lesson_places;  ///< the last step of each lesson
  std::string link;                                  ///< prefix of codes and links; empty: kOwnAddress
  std::string lesson_open;                           ///< the current lesson; it continues after a crash
  bool start_screen = true;                          ///< shown at startup if there is nothing to restore
  bool contrast = false;                             ///< quiet text and lines are as clear as the others
  bool operator==(const Settings&) const = default;
};
inline std::string_view link_address(const Settings& settings) {
  return settings.link.empty() ? kOwnAddress : std::string_view(settings.link);
}
inline constexpr double kSmallestText = 100, kLargestText = 250;
inline constexpr std::size_t kMaximumRecent = 12, kMaximumPlaces = 100;

/// Returns the style of figures in files.
PageStyle page_style(const Settings& settings);

/// Puts a file first in the list of recent files.
void remember_file(Settings& settings, const std::string& path);

/// Parses settings from JSON. Missing keys are allowed; throws InputError for any other error.
Settings settings_from_json(const std::string& text, const std::string& source);

// --- Files ---------------------------------------------------------------------------------------------------------

struct App;

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

struct App;

/// The content of the state files, and unsaved edits. Times are seconds on ImGui's clock.
struct Saving {
  bool allowed = true;            ///< false for pictures: nothing is written
  Experiment experiment;          ///< the last one seen
  Settings settings;              ///< the last ones seen
  std::string experiment_file;    ///< content as written
  std::string settings_file;      ///< content as written
  std::optional<double> waiting;  ///< time of the first unsaved edit
  double edited = 0;              ///< time of the last edit
  std::optional<double> failed;   ///< time of the last attempt, if it failed
  Message said;                   ///< the reason, as in the message
  bool operator==(const Saving&) const = default;
};

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
