#pragma once

#include <cstdint>

namespace ropescope {

/// Numbers that a search computes at most, unless it is told otherwise: a few seconds of one core.
inline constexpr std::int64_t kMostEffort = 100'000'000;

/// What a search of causes may cost: numbers (a cosine with its sine, or work like it) computed for candidates, rows ×
/// pairs of each. Never the clock: the answer is the same on every machine.
class Effort {
 public:
  explicit Effort(std::int64_t most) : most_(most) {}
  void spend(std::int64_t numbers) { spent_ += numbers; }
  bool is_spent() const { return spent_ >= most_; }
  std::int64_t spent() const { return spent_; }
  std::int64_t most() const { return most_; }

 private:
  std::int64_t most_, spent_ = 0;
};

}  // namespace ropescope
