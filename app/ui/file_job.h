#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "core/words.h"

namespace ropescope {
struct Experiment;
}

namespace ropescope::ui {

struct App;

/// A file that takes seconds to make: made and written beside the window, which goes on.
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
  /// Of one that has finished: whether the file is there; else why not, without words where it was stopped.
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

/// Once a frame: says when the job has ended, and how.
void watch_file_job(App& app);
/// Asks it to stop; false: there is none.
bool stop_file_job(App& app);

/// Whether there is a knob whose sweep can be saved.
bool can_save_gif(const App& app);
/// Begins to save the sweep of the knob that was swept last, to and fro.
void start_gif(App& app, const Experiment& experiment, const std::string& path);

}  // namespace ropescope::ui
