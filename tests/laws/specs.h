#pragma once

#include <Eigen/Core>

#include "core/rotary/spec.h"
#include "tests/test.h"

namespace ropescope {

/// The embeddings that every law is tried on: each way in which a spec can differ from the plain one at least once.
struct NamedSpec {
  std::string name;
  RotarySpec spec;
};

inline RotarySpec make_spec(int head_dim, Pairing pairing, std::vector<RotaryAxis> axes, double amplitude = 1) {
  RotarySpec spec;
  spec.head_dim = head_dim;
  spec.pairing = pairing;
  spec.axes = std::move(axes);
  spec.amplitude = amplitude;
  return spec;
}

inline std::vector<NamedSpec> law_specs() {
  using enum Pairing;
  const RotaryAxis t{.name = "t", .rotary_dim = 16}, row{.name = "row", .rotary_dim = 56};
  const RotaryAxis column{.name = "column", .rotary_dim = 56}, small{.rotary_dim = 32, .base = 2000};
  return {
      {"text_128_half_split", make_spec(128, half_split, {{.rotary_dim = 128, .base = 10000}})},
      {"text_64_interleaved", make_spec(64, interleaved, {{.rotary_dim = 64, .base = 500000}})},
      {"one_pair", make_spec(2, half_split, {{.rotary_dim = 2, .base = 10000}})},
      {"three_pairs_small_base", make_spec(6, interleaved, {{.rotary_dim = 6, .base = 1.01}})},
      {"huge_base", make_spec(256, half_split, {{.rotary_dim = 256, .base = 1e12}})},
      {"partial_half_split", make_spec(80, half_split, {{.rotary_dim = 32, .base = 10000}})},
      {"partial_interleaved_odd_head", make_spec(51, interleaved, {{.rotary_dim = 50, .base = 10000}})},
      {"proportional",
       make_spec(
           512, half_split,
           {{.rotary_dim = 512, .base = 1e6, .ladder = Ladder::proportional, .live_fraction = 0.25, .factor = 8}})},
      {"flux_three_axes", make_spec(128, interleaved, {t, row, column})},
      {"four_equal_axes", make_spec(128, interleaved, {small, small, small, small})},
      {"two_axes_half_split_partial", make_spec(100, half_split, {small, row})},
      {"with_amplitude", make_spec(64, half_split, {{.rotary_dim = 64, .base = 10000}}, 1.2772588722239782)},
      {"with_amplitude_below_one", make_spec(64, interleaved, {{.rotary_dim = 48, .base = 10000}}, 0.75)},
  };
}

/// The name of a tested case that has one, with an underscore for every sign that GoogleTest takes in none.
inline constexpr auto kByName = [](const auto& tested) {
  std::string name(tested.param.name);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
};

/// Channels drawn from [−1, 1], the same in every run.
inline Eigen::VectorXd random_vector(Eigen::Index size, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Eigen::VectorXd vector(size);
  for (double& value : vector) value = uniform(generator);
  return vector;
}

}  // namespace ropescope
