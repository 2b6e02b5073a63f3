#pragma once

#include <csignal>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace ropescope {

/// Turns signals into a request to stop while it lives; a second one ends the program. A program that was told to
/// ignore one of them still does. Construct it before the threads of the work start: they inherit that the signals are
/// held back.
class StopOnSignals {
 public:
  /// `told` is called by another thread after the request to stop.
  explicit StopOnSignals(const std::vector<int>& signals, std::function<void()> told = {});
  ~StopOnSignals();
  StopOnSignals(const StopOnSignals&) = delete;
  StopOnSignals& operator=(const StopOnSignals&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  bool active_ = false;
  sigset_t before_{};
  std::jthread waiter_;
};

/// The same for Ctrl-C alone.
class StopOnInterrupt : public StopOnSignals {
 public:
  StopOnInterrupt() : StopOnSignals({SIGINT}) {}
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
