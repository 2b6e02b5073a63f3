#include "app/commands/progress_line.h"

#include <algorithm>
#include <iostream>
#include <string>

#include "app/resources/system.h"

namespace ropescope {

namespace {

constexpr auto kBefore = std::chrono::milliseconds(300), kBetween = std::chrono::milliseconds(100);
/// Back to the first column and clear to the end of the line.
constexpr const char* kWipe = "\r\x1b[K";

}  // namespace

ProgressLine::ProgressLine() : terminal_(os::errors_go_to_terminal()), next_(Clock::now() + kBefore) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::cerr << kWipe << std::flush;
}

void ProgressLine::wipe() {
  if (os::errors_go_to_terminal()) std::cerr << kWipe << std::flush;
}

void ProgressLine::show(double fraction, std::string_view step) {
  const Clock::time_point now = Clock::now();
  if (!terminal_ || now < next_) return;
  next_ = now + kBetween;
  shown_ = true;
  const int percent = static_cast<int>(100 * std::clamp(fraction, 0.0, 1.0));
  std::cerr << kWipe + std::to_string(percent) + " % " + std::string(step) << std::flush;
}

}  // namespace ropescope
