#pragma once

#include <chrono>
#include <string_view>

namespace ropescope {

/// A line on standard error that says how far the work is, redrawn in place; only where that is a terminal, and only
/// once the work has taken a while. It is wiped off at the end.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(double fraction, std::string_view step);
  /// Wipes whatever line stands there; for any thread.
  static void wipe();

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_, shown_ = false;
  Clock::time_point next_;
};

}  // namespace ropescope
