#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

namespace ropescope {

/// How a program is asked to stop: Ctrl+C, the request to end (SIGTERM; Windows has it at the end of a session alone,
/// and for programs without a window), a terminal that is closed (SIGHUP; Windows waits for some seconds until it has
/// stopped).
enum class StopRequest { interrupt, terminate, hang_up };

/// Turns such requests into one to stop while it lives; a second one ends the program. A program that was told to
/// ignore one of them still does. Construct it before the threads of the work start: they inherit that signals are held
/// back.
class StopOnSignals {
 public:
  /// `told` is called by another thread after the request to stop.
  explicit StopOnSignals(const std::vector<StopRequest>& requests, std::function<void()> told = {});
  ~StopOnSignals();
  StopOnSignals(const StopOnSignals&) = delete;
  StopOnSignals& operator=(const StopOnSignals&) = delete;

  std::stop_token token() const { return stop_.get_token(); }

 private:
  struct State;
  std::stop_source stop_;
  std::unique_ptr<State> state_;
};

/// Makes errors of writing, which have words, of what would end the program without any: a reader that went away, a
/// file that grows over the limit of its size.
void let_writes_fail();

}  // namespace ropescope
