#pragma once

#include <csignal>
#include <stop_token>
#include <thread>

namespace ropescope {

/// Turns Ctrl-C into a request to stop while it lives; a second one ends the program. A program that was told to ignore
/// Ctrl-C still does. Construct it before the threads of the work start: they inherit that the signal is held back.
class StopOnInterrupt {
 public:
  StopOnInterrupt();
  ~StopOnInterrupt();
  StopOnInterrupt(const StopOnInterrupt&) = delete;
  StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  bool active_ = false;
  sigset_t before_{};
  std::jthread waiter_;
};

}  // namespace ropescope
