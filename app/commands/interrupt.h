#pragma once

#include <string>

#include "app/platform/stop_on_signals.h"

namespace ropescope {

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
