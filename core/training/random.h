#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numbers>

namespace ropescope {

/// Random numbers by counting (splitmix64, Steele et al. 2014): what a stream gives follows from its keys alone, so
/// that a batch of a step can be made again without the steps before it.
class RandomStream {
 public:
  explicit RandomStream(std::initializer_list<std::uint64_t> keys) {
    for (const std::uint64_t key : keys) state_ = mixed(state_ ^ (key + kStep));
  }
  std::uint64_t bits() { return mixed(state_ += kStep); }
  /// In [0, 1), 53 bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  /// 0 … count − 1; count at most 2^32.
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>((bits() >> 32) * static_cast<std::uint64_t>(count) >> 32);
  }
  /// Mean 0, variance 1 (Box and Muller).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t state_ = 0;
};

}  // namespace ropescope
