#include "core/scaling/parts.h"

namespace ropescope {

namespace {

constexpr ScalingParameter kLinearParameters[] = {kFactor};

ScaledLadder compute_linear(const ScalingInput& input) {
  const ScaledLadder plain = plain_ladder(input.axis);
  return blended_ladder(plain.frequencies, plain.frequencies / number_of(input, "factor"),
                        Eigen::VectorXd::Zero(plain.frequencies.size()));
}

}  // namespace

/// θ = p/s: position interpolation. arXiv 2306.15595; transformers `_compute_linear_scaling_rope_parameters`.
extern constinit const ScalingMethod kLinear{
    .name = "linear", .source = "arXiv 2306.15595", .parameters = kLinearParameters, .compute = compute_linear};

}  // namespace ropescope
