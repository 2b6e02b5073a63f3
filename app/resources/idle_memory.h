// Decides when the window returns memory to the system: a state machine queried by app/commands/window.cpp.
#pragma once

#include <cstdint>

namespace ropescope {

/// Decides when a window returns freed memory (os::give_back_memory(), some hundred megabytes over time) to the system:
/// once after every `computations`, after kBefore seconds without events and with no worker busy.
class IdleMemory {
 public:
  static constexpr double kBefore = 3;

  /// Returns whether there may be memory to return, so that the window must check again.
  bool holds(std::int64_t computations) const { return computations != given_back_; }
  /// Updates after `seconds` of waiting, ended by an event (`something`) or not. Returns true to return memory now.
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
