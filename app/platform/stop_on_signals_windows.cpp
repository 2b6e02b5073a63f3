#include <windows.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "app/platform/stop_on_signals.h"

namespace ropescope {

struct StopOnSignals::State {
  std::vector<StopRequest> requests;
  std::stop_source stop;
  std::function<void()> told;
};

namespace {

StopRequest request_of(DWORD event) {
  switch (event) {
    case CTRL_C_EVENT:
    case CTRL_BREAK_EVENT:
      return StopRequest::interrupt;
    case CTRL_CLOSE_EVENT:
      return StopRequest::hang_up;
    default:
      return StopRequest::terminate;
  }
}

/// The console's handler is given no data of ours: those who hear, the latest first.
struct Hearers {
  std::mutex mutex;
  std::vector<std::function<bool(StopRequest)>> all;
};
Hearers& hearers() {
  static Hearers one;
  return one;
}

/// Called by a thread of the system; FALSE lets who came before answer, in the end the system, which ends the program.
BOOL WINAPI on_event(DWORD event) {
  const std::scoped_lock lock(hearers().mutex);
  const auto& all = hearers().all;
  return std::any_of(all.rbegin(), all.rend(), [event](const auto& hear) { return hear(request_of(event)); });
}

}  // namespace

StopOnSignals::StopOnSignals(const std::vector<StopRequest>& requests, std::function<void()> told)
    : state_(std::make_unique<State>()) {
  *state_ = {requests, stop_, std::move(told)};
  const std::scoped_lock lock(hearers().mutex);
  if (hearers().all.empty()) ::SetConsoleCtrlHandler(on_event, TRUE);
  hearers().all.push_back([state = state_.get()](StopRequest request) {
    const bool heard = std::count(state->requests.begin(), state->requests.end(), request) > 0;
    // It was asked to stop before and has not: it ends.
    if (!heard || !state->stop.request_stop()) return false;
    if (state->told) state->told();
    return true;
  });
}

StopOnSignals::~StopOnSignals() {
  const std::scoped_lock lock(hearers().mutex);
  hearers().all.pop_back();
  if (hearers().all.empty()) ::SetConsoleCtrlHandler(on_event, FALSE);
}

/// They do so here.
void let_writes_fail() {}

}  // namespace ropescope
