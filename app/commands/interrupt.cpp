#include "app/commands/interrupt.h"

#include <ctime>

namespace ropescope {

namespace {

constexpr long kPollNanoseconds = 50'000'000;

sigset_t interrupt_alone() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  return set;
}

/// Takes the signal as it comes instead of in a handler, where hardly anything may be done.
void wait_for_interrupt(const std::stop_token& done, std::stop_source stop) {
  const sigset_t set = interrupt_alone();
  while (!done.stop_requested()) {
    const timespec poll{0, kPollNanoseconds};
    if (sigtimedwait(&set, nullptr, &poll) != SIGINT || stop.request_stop()) continue;
    // It was asked to stop before and has not.
    std::signal(SIGINT, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    std::raise(SIGINT);
  }
}

}  // namespace

StopOnInterrupt::StopOnInterrupt() {
  struct sigaction action {};
  if (sigaction(SIGINT, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) return;
  const sigset_t set = interrupt_alone();
  active_ = pthread_sigmask(SIG_BLOCK, &set, &before_) == 0;
  if (active_) waiter_ = std::jthread([stop = stop_](const std::stop_token& done) { wait_for_interrupt(done, stop); });
}

StopOnInterrupt::~StopOnInterrupt() {
  if (!active_) return;
  waiter_.request_stop();
  waiter_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace ropescope
