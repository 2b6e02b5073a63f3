#include "core/rotary/frequencies.h"
#include "core/scaling/parts.h"

namespace ropescope {

namespace {

constexpr ScalingParameter kProportionalParameters[] = {
    part_parameter("rope.live_fraction", "R", 0.001),
    {.key = "rope.factor", .minimum = 1, .maximum = kLargestFactor, .initial = 1, .says_how_far = true}};

ScaledLadder compute_proportional(const ScalingInput& input) {
  const RotaryAxis& axis = input.axis;
  const double factor = number_of(input, "factor");
  ScaledLadder ladder;
  ladder.frequencies = proportional_frequencies(axis.rotary_dim, axis.base, number_of(input, "live_fraction"), factor);
  for (const double frequency : ladder.frequencies) {
    ladder.treatment.push_back(frequency == 0 ? PairTreatment::still
                               : factor == 1  ? PairTreatment::kept
                                              : PairTreatment::interpolated);
  }
  return ladder;
}

}  // namespace

/// θ_i = p_i/s for i < int(live_fraction·d // 2), where d is the whole head, and 0 from there on.
/// Gemma 4; transformers `_compute_proportional_rope_parameters`.
extern constinit const ScalingMethod kProportional{
    .name = "proportional",
    .source = "huggingface/transformers _compute_proportional_rope_parameters",
    .parameters = kProportionalParameters,
    .compute = compute_proportional};

}  // namespace ropescope
