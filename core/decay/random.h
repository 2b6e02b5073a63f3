#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>

namespace ropescope {

/// SplitMix64: the state advances by the odd number nearest to 2^64/φ and is then mixed (Steele, Lea and Flood, "Fast
/// splittable pseudorandom number generators", OOPSLA 2014; the constants are variant 13 of Stafford's mixers).
struct SplitMix {
  std::uint64_t state;
  std::uint64_t next() {
    state += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Uniform in (0, 1): the middles of 2^53 equal cells, so that the logarithm below never sees zero.
  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
};

/// Two independent standard normals as one complex number (Box and Muller, 1958).
inline std::complex<double> normal_pair(SplitMix& generator) {
  const double radius = std::sqrt(-2 * std::log(generator.uniform()));
  const double angle = 2 * std::numbers::pi * generator.uniform();
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace ropescope
