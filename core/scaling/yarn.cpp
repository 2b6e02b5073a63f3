#include "core/scaling/parts.h"

namespace ropescope {

namespace {

constexpr ScalingParameter kYarnParameters[] = {
    kFactor,
    kBetaFast,
    kBetaSlow,
    {.key = "rope.truncate", .initial = 1, .is_switch = true},
    {.key = "rope.mscale", .maximum = kLargestAmplitude, .symbol = "M"},
    {.key = "rope.mscale_all_dim", .maximum = kLargestAmplitude, .symbol = "M"},
    kAttentionFactor,
    {.key = "rope.paper_ramp", .is_switch = true}};

double scaling_yarn_amplitude(const ScalingInput& input) {
  if (const auto given = given_number(input, "attention_factor")) return *given;
  const double factor = number_of(input, "factor");
  const double mscale = number_of(input, "mscale"), all_dim = number_of(input, "mscale_all_dim");
  if (mscale != 0 && all_dim != 0) return yarn_amplitude(factor, mscale) / yarn_amplitude(factor, all_dim);
  return yarn_amplitude(factor, 1);
}

ScaledLadder compute_yarn(const ScalingInput& input) {
  const Eigen::VectorXd plain = plain_ladder(input.axis).frequencies;
  const double length = *input.trained_length;
  const double fast = number_of(input, "beta_fast"), slow = number_of(input, "beta_slow");
  Eigen::VectorXd kept;
  if (number_of(input, "paper_ramp") != 0) {
    kept = kept_by_turns(plain, length, slow, fast);
  } else {
    const auto [low, high] = correction_range(input.axis, length, {fast, slow}, number_of(input, "truncate") != 0);
    kept = kept_between(low, high, plain.size());
  }
  ScaledLadder ladder = blended_ladder(plain, plain / number_of(input, "factor"), kept);
  ladder.amplitude = scaling_yarn_amplitude(input);
  return ladder;
}

void check_scaling_yarn(const ScalingMethod& method, const ScalingInput& input) {
  require_order(method, input.extension, "beta_slow", "beta_fast");
}

}  // namespace

/// θ = (1 − γ)·p/s + γ·p with γ falling in the pair's index between the pairs of β_fast and β_slow turns (paper_ramp:
/// in turns, as the paper writes it). Amplitude: attention_factor, else get(s, mscale)/get(s, mscale_all_dim) if both
/// are nonzero, else get(s, 1), where get(s, m) = 0.1·m·ln s + 1.
/// arXiv 2309.00071, sections 3.2 and 3.4; transformers `_compute_yarn_parameters`.
extern constinit const ScalingMethod kYarn{
    .name = "yarn",
    .source = "arXiv 2309.00071; huggingface/transformers _compute_yarn_parameters",
    .parameters = kYarnParameters,
    .changes_amplitude = true,
    .needs_trained_length = true,
    .compute = compute_yarn,
    .check = check_scaling_yarn};

}  // namespace ropescope
