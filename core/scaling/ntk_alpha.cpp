#include "core/scaling/parts.h"

namespace ropescope {

namespace {

constexpr ScalingParameter kParameters[] = {{"ntk_alpha", 1, kLargestFactor, 1000, true}};

ScaledLadder compute(const ScalingInput& input) {
  return rebased_ladder(input.axis, ntk_base(input.axis, number_of(input, "ntk_alpha")));
}

}  // namespace

/// Base b·α^(d/(d−2)) with a fixed α, whatever the length: what Hunyuan's configs mean by `dynamic` with `alpha`.
/// mlx-lm `hunyuan`.
constinit const ScalingMethod kNtkAlpha{.name = "ntk-alpha",
                                        .source = "ml-explore/mlx-lm hunyuan DynamicNTKAlphaRoPE",
                                        .parameters = kParameters,
                                        .compute = compute};

}  // namespace ropescope
