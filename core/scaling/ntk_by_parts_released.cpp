#include "core/scaling/parts.h"

namespace ropescope {

namespace {

constexpr ScalingParameter kNtkByPartsReleasedParameters[] = {kFactor,
                                                              positive_parameter("rope.beta_0", 1.25, "B"),
                                                              positive_parameter("rope.beta_1", 0.75, "B"),
                                                              positive_parameter("rope.gamma_0", 16, "G"),
                                                              positive_parameter("rope.gamma_1", 2, "G"),
                                                              part_parameter("rope.ntk_factor", "P"),
                                                              part_parameter("rope.extrapolation_factor", "P")};

/// The part of each pair that stays above the range of turns.
Eigen::VectorXd part_above(const ScalingInput& input, std::string_view fast, std::string_view slow,
                           std::string_view strength) {
  const auto [low, high] =
      correction_range(input.axis, *input.trained_length, {number_of(input, fast), number_of(input, slow)}, true);
  return kept_between(low, high, input.axis.rotary_dim / 2) * number_of(input, strength);
}

ScaledLadder compute_ntk_by_parts_released(const ScalingInput& input) {
  const Eigen::VectorXd plain = plain_ladder(input.axis).frequencies;
  const double factor = number_of(input, "factor");
  const Eigen::VectorXd ntk = rebased_ladder(input.axis, ntk_base(input.axis, factor)).frequencies;
  const Eigen::VectorXd ntk_part = part_above(input, "beta_0", "beta_1", "ntk_factor");
  const Eigen::VectorXd slowed = blended_ladder(ntk, plain / factor, ntk_part).frequencies;
  const Eigen::VectorXd kept = part_above(input, "gamma_0", "gamma_1", "extrapolation_factor");
  ScaledLadder ladder = blended_ladder(plain, slowed, kept);
  for (std::size_t pair = 0; pair < ladder.treatment.size(); ++pair) {
    const bool ntk_has_part = ntk_part[static_cast<Eigen::Index>(pair)] > 0;
    if (ladder.treatment[pair] == PairTreatment::interpolated && ntk_has_part) {
      ladder.treatment[pair] = PairTreatment::blended;
    }
  }
  return ladder;
}

void check_ntk_by_parts_released(const ScalingMethod& method, const ScalingInput& input) {
  require_order(method, input.extension, "beta_1", "beta_0");
  require_order(method, input.extension, "gamma_1", "gamma_0");
}

}  // namespace

/// The form that was released before the paper: from slow to fast pairs p/s, then NTK-aware (index ramp between the
/// pairs of β₁ and β₀ turns in the trained length), then p (between γ₁ and γ₀ turns).
/// jquesnelle/yarn `LlamaPartNTKScaledRotaryEmbedding`.
extern constinit const ScalingMethod kNtkByPartsReleased{.name = "ntk-by-parts-released",
                                                         .source = "jquesnelle/yarn LlamaPartNTKScaledRotaryEmbedding",
                                                         .parameters = kNtkByPartsReleasedParameters,
                                                         .needs_trained_length = true,
                                                         .compute = compute_ntk_by_parts_released,
                                                         .check = check_ntk_by_parts_released};

}  // namespace ropescope
