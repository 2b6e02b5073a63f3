// Options that fill an experiment, for the commands that draw a view; shortened input in error messages; and, for long
// commands, a line of progress and cancellation by Ctrl+C. Read app/experiment/experiment.h and rope_options.h first.
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

/// Options of `render` and `screenshot` that select the experiment.
struct ExperimentOptions {
  std::optional<std::string> view;  ///< the view, if specified: short keys of --set then refer to its fields
  std::optional<std::string> experiment;
  std::vector<std::string> own;
  std::optional<Experiment> start;  ///< the experiment of a lesson's step, used if `experiment` is not set
  RopeOptions rope;
  std::vector<std::string> sets, facets;
};
/// Adds --experiment, ROPE, --axis, --own, --set and --facet, and the list of all fields to --help.
void add_experiment_options(Arguments& arguments, ExperimentOptions& options);

/// Returns the saved experiment or the defaults, then with the options' rotary embedding, every --set in order and
/// every --facet. Throws InputError.
Experiment resolve_experiment(const ExperimentOptions& options);

// --- Echo ----------------------------------------------------------------------------------------------------------

/// Returns a message with shortened user input: each argument, each text in quotes and each word loses its middle if it
/// is too long (elide_middle).
std::string shorten_echoed_arguments(std::string message, std::span<char* const> arguments);

// --- Progress ------------------------------------------------------------------------------------------------------

/// A progress line on standard error, redrawn in place, only on a terminal and only after the work has taken a while.
/// It is erased at the end.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(double fraction, std::string_view step);
  /// Erases the current line, if any. Thread-safe.
  static void wipe();

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_, shown_ = false;
  Clock::time_point next_;
};

// --- Interruption --------------------------------------------------------------------------------------------------

/// Converts only Ctrl-C to a stop request.
class StopOnInterrupt : public StopOnSignals {
 public:
  StopOnInterrupt() : StopOnSignals({StopRequest::interrupt}) {}
};

/// While it exists, Ctrl-C ends the program immediately with the exit code of cancelled(). For work that cannot be
/// interrupted and has not written anything yet.
class EndOnInterrupt : public StopOnSignals {
 public:
  explicit EndOnInterrupt(const std::string& work);
};

/// Reports a cancellation in one line, and returns its exit code. `work`: what was cancelled, the text
/// "notice.cancelled.WORK".
int cancelled(const std::string& work, std::initializer_list<Message::Named> values = {});

}  // namespace ropescope
