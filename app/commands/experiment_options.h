// Options that fill an experiment, for the commands that draw a view; how errors shorten what was typed; and what
// commands that take long share: a line of progress, and stopping at Ctrl+C. Read app/experiment/experiment.h and
// rope_options.h before.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/rope_options.h"
#include "app/experiment/experiment.h"
#include "app/platform/desktop.h"

namespace ropescope {

// --- Experiments ---------------------------------------------------------------------------------------------------

/// What `render` and `screenshot` share: which experiment to show.
struct ExperimentOptions {
  std::optional<std::string> view;  ///< what is shown, if that is said: a short key of --set then means its field
  std::optional<std::string> experiment, own;
  std::optional<Experiment> start;  ///< the experiment of a lesson's step, used if `experiment` is not set
  RopeOptions rope;
  std::vector<std::string> sets, facets;
};
/// Adds --experiment, ROPE, --axis, --own, --set and --facet, and the list of all fields under --help.
void add_experiment_options(Arguments& arguments, ExperimentOptions& options);

/// The saved experiment or the defaults, then the rotary embedding that the options name, then every --set in its
/// order and every --facet. Throws InputError.
Experiment resolve_experiment(const ExperimentOptions& options);

// --- Echo ----------------------------------------------------------------------------------------------------------

/// A message in which what the user gave is no longer than people read: each of the arguments, each text in quotes and
/// each word loses its middle where it is longer (without_middle).
std::string with_short_echoes(std::string message, std::span<char* const> arguments);

// --- Progress ------------------------------------------------------------------------------------------------------

/// A line on standard error that says how far the work is, redrawn in place; only where that is a terminal, and only
/// once the work has taken a while. It is wiped off at the end.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(double fraction, std::string_view step);
  /// Wipes whatever line stands there; for any thread.
  static void wipe();

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_, shown_ = false;
  Clock::time_point next_;
};

// --- Interruption --------------------------------------------------------------------------------------------------

/// Turns Ctrl-C alone into a request to stop.
class StopOnInterrupt : public StopOnSignals {
 public:
  StopOnInterrupt() : StopOnSignals({StopRequest::interrupt}) {}
};

/// Ends the program at Ctrl-C while it lives, at once, with the exit code of cancelled(): for work that nothing can
/// stop in the middle, and that has not written anything yet.
class EndOnInterrupt : public StopOnSignals {
 public:
  explicit EndOnInterrupt(const std::string& before_what);
};

/// The exit code of a command that was stopped, after one line that says so: "cancelled before there was a verdict".
int cancelled(const std::string& before_what);

}  // namespace ropescope
