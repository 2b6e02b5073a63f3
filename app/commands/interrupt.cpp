#include "app/commands/interrupt.h"

#include <cstdlib>
#include <ctime>
#include <utility>

#include "app/commands/commands.h"
#include "app/commands/progress_line.h"

namespace ropescope {

namespace {

constexpr long kPollNanoseconds = 50'000'000;

/// Those of the signals that the program was not told to ignore.
sigset_t heard(const std::vector<int>& signals, bool& any) {
  sigset_t set;
  sigemptyset(&set);
  any = false;
  for (const int signal : signals) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    sigaddset(&set, signal);
    any = true;
  }
  return set;
}

/// Takes the signals as they come instead of in a handler, where hardly anything may be done.
void wait_for_signals(const std::stop_token& done, const sigset_t& set, std::stop_source stop,
                      const std::function<void()>& told) {
  while (!done.stop_requested()) {
    const timespec poll{0, kPollNanoseconds};
    const int signal = sigtimedwait(&set, nullptr, &poll);
    if (signal < 0) continue;
    if (stop.request_stop()) {
      if (told) told();
      continue;
    }
    // It was asked to stop before and has not. A file that is being written goes with it (PartFile).
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    std::raise(signal);
  }
}

}  // namespace

StopOnSignals::StopOnSignals(const std::vector<int>& signals, std::function<void()> told) {
  const sigset_t set = heard(signals, active_);
  active_ = active_ && pthread_sigmask(SIG_BLOCK, &set, &before_) == 0;
  if (!active_) return;
  waiter_ = std::jthread([set, stop = stop_, told = std::move(told)](const std::stop_token& done) {
    wait_for_signals(done, set, stop, told);
  });
}

StopOnSignals::~StopOnSignals() {
  if (!active_) return;
  waiter_.request_stop();
  waiter_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

EndOnInterrupt::EndOnInterrupt(const std::string& before_what)
    : StopOnSignals({SIGINT}, [before_what] {
        ProgressLine::wipe();
        // Nobody waits for the threads, and nothing of theirs is to be kept.
        std::_Exit(cancelled(before_what));
      }) {}

int cancelled(const std::string& before_what) {
  put_notice("cancelled " + before_what);
  return 128 + SIGINT;  // what a shell reports of a program that Ctrl-C ended
}

}  // namespace ropescope
