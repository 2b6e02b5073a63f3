#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "app/resources/text.h"
#include "app/views/shared/animation.h"

namespace ropescope::ui {

struct App;

/// A GIF that is drawn and written beside the window.
class GifJob {
 public:
  GifJob(Animation animation, FramePaint paint, const Text& text, double frames_per_second, std::string path);

  const std::string& path() const { return path_; }
  double progress() const { return progress_; }
  bool finished() const { return finished_; }
  void stop() { thread_.request_stop(); }
  /// Of one that has finished: whether the file is there; else why not, without words where it was stopped.
  bool written() const { return written_; }
  const Words& failure() const { return failure_; }

 private:
  void run(const std::stop_token& stop);

  Animation animation_;
  FramePaint paint_;
  Text text_;
  double frames_per_second_;
  std::string path_;
  std::atomic<double> progress_{0};
  std::atomic<bool> finished_{false};
  bool written_ = false;
  Words failure_;
  std::jthread thread_;  // last: it ends before what it works with
};

/// Whether there is a knob whose sweep can be saved.
bool can_save_gif(const App& app);
/// Begins to save the sweep of the knob that was swept last, to and fro.
void start_gif(App& app, const Experiment& experiment, const std::string& path);
/// Once a frame: says when it has ended, and how.
void watch_gif(App& app);
/// Asks it to stop; false: there is none.
bool stop_gif(App& app);

}  // namespace ropescope::ui
