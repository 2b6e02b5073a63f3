#include <numbers>

#include "core/scaling/parts.h"

namespace ropescope {

namespace {

constexpr ScalingParameter kPixelParameters[] = {
    {.key = "rope.max_frequency", .minimum = 2, .maximum = kLargestFactor, .initial = 10, .symbol = "F"}};

ScaledLadder compute_pixel(const ScalingInput& input) {
  const Eigen::Index pairs = input.axis.rotary_dim / 2;
  ScaledLadder ladder;
  ladder.frequencies.resize(pairs);
  const double step = pairs > 1 ? (number_of(input, "max_frequency") / 2 - 1) / static_cast<double>(pairs - 1) : 0;
  for (Eigen::Index pair = 0; pair < pairs; ++pair) {
    ladder.frequencies[pair] = (1 + step * static_cast<double>(pair)) * std::numbers::pi;
  }
  ladder.treatment.assign(static_cast<std::size_t>(pairs), PairTreatment::blended);
  return ladder;
}

}  // namespace

/// π·linspace(1, max_frequency/2, n) for coordinates from −1 to 1: it rises with the pair and knows no base.
/// lucidrains/rotary-embedding-torch, freqs_for = "pixel".
extern constinit const ScalingMethod kPixel{.name = "pixel",
                                            .source = "lucidrains/rotary-embedding-torch RotaryEmbedding",
                                            .parameters = kPixelParameters,
                                            .identity_at_factor_one = false,
                                            .never_faster = false,
                                            .compute = compute_pixel};

}  // namespace ropescope
