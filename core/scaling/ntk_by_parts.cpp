#include "core/scaling/parts.h"

namespace ropescope {

namespace {

constexpr ScalingParameter kNtkByPartsParameters[] = {kFactor, positive_parameter("rope.alpha", 1, "A"),
                                                      positive_parameter("rope.beta", 32, "B")};

ScaledLadder compute_ntk_by_parts(const ScalingInput& input) {
  const Eigen::VectorXd plain = plain_ladder(input.axis).frequencies;
  return blended_ladder(
      plain, plain / number_of(input, "factor"),
      kept_by_turns(plain, *input.trained_length, number_of(input, "alpha"), number_of(input, "beta")));
}

void check_ntk_by_parts(const ScalingMethod& method, const ScalingInput& input) {
  require_order(method, input.extension, "alpha", "beta");
}

}  // namespace

/// With r = L/λ turns in the trained length and γ = clamp((r − α)/(β − α), 0, 1): θ = (1 − γ)·p/s + γ·p.
/// arXiv 2309.00071, section 3.2; α = 1, β = 32 there.
extern constinit const ScalingMethod kNtkByParts{.name = "ntk-by-parts",
                                                 .source = "arXiv 2309.00071, section 3.2",
                                                 .parameters = kNtkByPartsParameters,
                                                 .needs_trained_length = true,
                                                 .compute = compute_ntk_by_parts,
                                                 .check = check_ntk_by_parts};

}  // namespace ropescope
