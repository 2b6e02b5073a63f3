// What is kept between starts and written beside the window: settings of the person, the last experiment, files that
// take long. app.h holds it; shelf.h of app/resources keeps results.
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
#include "core/words.h"

namespace ropescope::ui {

// --- Settings ------------------------------------------------------------------------------------------------------

/// How figures are saved.
struct SaveSettings {
  std::string size = "1200x800";    ///< as parse_page_size takes it
  double dpi = 300;                 ///< of a PNG in millimetres
  std::string theme = "automatic";  ///< "dark", "light", or what suits: light for pages (SVG, PDF), else the window's
  double text_percent = 100;
  std::string words = "outlines";  ///< "outlines" or "text", in SVG
  LegendPlace legend = {};         ///< above the panels, beside them, in a corner, or nowhere
  std::string font = "sans";       ///< as PageStyle::font
  bool operator==(const SaveSettings&) const = default;
};

/// What belongs to the person, not to the experiment: kept between starts, not undone.
struct Settings {
  std::string theme = "dark";  ///< "dark" or "light"
  double text_scale = 100;     ///< percent, kSmallestText…kLargestText
  std::string language = {};   ///< "ja"; empty: the locale's
  bool controls_open = true;
  double sweep_seconds = 5;         ///< a swept field takes from end to end, kFastestSweep…kSlowestSweep
  std::vector<std::string> recent;  ///< files opened last, newest first
  std::string folder;               ///< where the file dialogs were last
  SaveSettings save;
  bool motion = true;                                ///< lessons glide and sweep from step to step
  std::map<std::string, std::string> lesson_places;  ///< the step at which each lesson was left
  std::string link;                                  ///< what codes and links begin with; empty: kOwnAddress
  std::string lesson_open;                           ///< the lesson that is played; it goes on after a crash
  bool operator==(const Settings&) const = default;
};
inline std::string_view link_address(const Settings& settings) {
  return settings.link.empty() ? kOwnAddress : std::string_view(settings.link);
}
inline constexpr double kSmallestText = 100, kLargestText = 250;
inline constexpr std::size_t kMaximumRecent = 12, kMaximumPlaces = 100;

/// Puts a file at the head of the recent ones.
void remember_file(Settings& settings, const std::string& path);

/// Settings from JSON. Forgiving about missing keys; throws InputError for anything else that is wrong.
Settings settings_from_json(const std::string& text, const std::string& source);

// --- Files ---------------------------------------------------------------------------------------------------------

struct App;

/// A file that takes seconds to make: it is made and written beside the window, which goes on.
class FileJob {
 public:
  using Progress = std::function<void(double share)>;
  /// The bytes of the file; empty where it was asked to stop. Its exceptions become failure().
  using Work = std::function<std::string(const std::stop_token&, const Progress&)>;
  FileJob(Work work, std::string path);

  const std::string& path() const { return path_; }
  double progress() const { return progress_; }
  bool finished() const { return finished_; }
  void stop() { thread_.request_stop(); }
  /// Of a job that has finished: whether the file is there. Where it is not, failure() says why, without words where
  /// the job was stopped.
  bool written() const { return written_; }
  const Words& failure() const { return failure_; }

 private:
  void run(const std::stop_token& stop);

  Work work_;
  std::string path_;
  std::atomic<double> progress_{0};
  std::atomic<bool> finished_{false};
  bool written_ = false;
  Words failure_;
  std::jthread thread_;  // last: it ends before what it works with
};

/// Says when the job has ended, and how; called once a frame.
void watch_file_job(App& app);
/// Asks the job to stop; false: there is none.
bool stop_file_job(App& app);

/// Whether there is a field whose sweep can be saved.
bool can_save_gif(const App& app);
/// Begins to save the sweep of the field that was swept last, to and fro.
void start_gif(App& app, const Experiment& experiment, const std::string& path);

// --- State ---------------------------------------------------------------------------------------------------------

struct App;

/// What stands in the files of the state, and what waits to be written. Times are seconds on ImGui's clock.
struct Saving {
  bool allowed = true;            ///< false for pictures: nothing is written
  Experiment experiment;          ///< as it was seen last
  Settings settings;              ///< as they were seen last
  std::string experiment_file;    ///< content as written
  std::string settings_file;      ///< content as written
  std::optional<double> waiting;  ///< time of the first edit that is not written
  double edited = 0;              ///< time of the last one
  std::optional<double> failed;   ///< time of the last try, where it failed
  Words said;                     ///< why, as the message said it
  bool operator==(const Saving&) const = default;
};

/// When the state is to be written: two seconds after the last edit, and at most ten after the first while edits go on;
/// ten after a try that failed. None where nothing waits.
std::optional<double> save_due(const Saving& saving);

/// Reads settings and the last experiment. What cannot be read (broken, or of a newer version) is kept beside as
/// NAME.1 (.2, …) and said; the defaults start. `crashed`: the last window did not end in good order, so the last
/// experiment, which may be why, is kept beside too and offered.
void load_state(App& app, bool crashed = false);
/// Looks for edits and writes where it is time to; called once a frame.
void keep_state(App& app, double now);
/// Writes what changed, now. Never throws: a message instead, and another try later. The experiment is written where
/// the settings cannot be, and the recent files of other windows stay.
void save_state(App& app, double now = 0);

}  // namespace ropescope::ui
