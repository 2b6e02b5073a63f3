#include <algorithm>

#include "core/scaling/parts.h"

namespace ropescope {

namespace {

constexpr ScalingParameter kDynamicYarnParameters[] = {kBetaFast, kBetaSlow};

ScaledLadder compute_dynamic_yarn(const ScalingInput& input) {
  const Eigen::VectorXd plain = plain_ladder(input.axis).frequencies;
  const double factor = std::max(current_length(input) / *input.trained_length, 1.0);
  const auto [low, high] = correction_range(input.axis, *input.trained_length,
                                            {number_of(input, "beta_fast"), number_of(input, "beta_slow")}, true);
  ScaledLadder ladder = blended_ladder(plain, plain / factor, kept_between(low, high, plain.size()));
  ladder.amplitude = yarn_amplitude(factor, 1);
  return ladder;
}

void check_dynamic_yarn(const ScalingMethod& method, const ScalingInput& input) {
  require_order(method, input.extension, "beta_slow", "beta_fast");
}

}  // namespace

/// YaRN with s = l/L for a sequence of length l > L, the plain ladder below.
/// jquesnelle/yarn `LlamaDynamicYaRNScaledRotaryEmbedding`.
extern constinit const ScalingMethod kDynamicYarn{.name = "dynamic-yarn",
                                                  .source = "jquesnelle/yarn LlamaDynamicYaRNScaledRotaryEmbedding",
                                                  .parameters = kDynamicYarnParameters,
                                                  .depends_on_length = true,
                                                  .identity_at_factor_one = false,
                                                  .changes_amplitude = true,
                                                  .needs_trained_length = true,
                                                  .compute = compute_dynamic_yarn,
                                                  .check = check_dynamic_yarn};

}  // namespace ropescope
