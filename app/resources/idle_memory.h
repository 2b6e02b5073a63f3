// When the window gives back memory: a small state machine that app/commands/window.cpp asks once a wait.
#pragma once

#include <cstdint>

namespace ropescope {

/// When a window gives back what its computations freed (os::give_back_memory()): some hundred megabytes after a while.
/// Once after every `computations`, when nothing has happened for kBefore seconds and no worker is busy.
class IdleMemory {
 public:
  static constexpr double kBefore = 3;

  /// Whether there may be something to give back: the window is to look at it again.
  bool holds(std::int64_t computations) const { return computations != given_back_; }
  /// After `seconds` of waiting, ended by an event (`something`) or not. True: give it back now.
  bool rest(double seconds, bool something, std::int64_t computations, bool busy) {
    idle_ = something ? 0 : idle_ + seconds;
    if (idle_ < kBefore || busy || !holds(computations)) return false;
    given_back_ = computations;
    return true;
  }

 private:
  double idle_ = 0;
  std::int64_t given_back_ = 0;
};

}  // namespace ropescope
