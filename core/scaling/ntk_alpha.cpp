#include "core/scaling/parts.h"

namespace ropescope {

namespace {

constexpr ScalingParameter kNtkAlphaParameters[] = {{.key = "rope.ntk_alpha",
                                                     .minimum = 1,
                                                     .maximum = kLargestFactor,
                                                     .initial = 1000,
                                                     .required = true,
                                                     .says_how_far = true,
                                                     .symbol = "A"}};

ScaledLadder compute_ntk_alpha(const ScalingInput& input) {
  return rebased_ladder(input.axis, ntk_base(input.axis, number_of(input, "ntk_alpha")));
}

}  // namespace

/// Base b·α^(d/(d−2)) with a fixed α, whatever the length: what Hunyuan's configs mean by `dynamic` with `alpha`.
/// mlx-lm `hunyuan`.
extern constinit const ScalingMethod kNtkAlpha{.name = "ntk-alpha",
                                               .source = "ml-explore/mlx-lm hunyuan DynamicNTKAlphaRoPE",
                                               .parameters = kNtkAlphaParameters,
                                               .compute = compute_ntk_alpha};

}  // namespace ropescope
