#include "app/commands/interrupt.h"

#include <csignal>
#include <cstdlib>

#include "app/commands/commands.h"
#include "app/commands/progress_line.h"

namespace ropescope {

EndOnInterrupt::EndOnInterrupt(const std::string& before_what)
    : StopOnSignals({StopRequest::interrupt}, [before_what] {
        ProgressLine::wipe();
        // Nobody waits for the threads, and nothing of theirs is to be kept.
        std::_Exit(cancelled(before_what));
      }) {}

int cancelled(const std::string& before_what) {
  put_notice("cancelled " + before_what);
  return 128 + SIGINT;  // what a shell reports of a program that Ctrl-C ended
}

}  // namespace ropescope
