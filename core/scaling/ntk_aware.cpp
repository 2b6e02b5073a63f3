#include "core/scaling/parts.h"

namespace ropescope {

namespace {

constexpr ScalingParameter kNtkAwareParameters[] = {kFactor};

ScaledLadder compute_ntk_aware(const ScalingInput& input) {
  return rebased_ladder(input.axis, ntk_base(input.axis, number_of(input, "factor")));
}

}  // namespace

/// Base b·s^(d/(d−2)): the slowest pair is divided by s, the fastest is kept. jquesnelle/yarn
/// `LlamaNTKScaledRotaryEmbedding`.
extern constinit const ScalingMethod kNtkAware{.name = "ntk-aware",
                                               .source = "jquesnelle/yarn LlamaNTKScaledRotaryEmbedding",
                                               .parameters = kNtkAwareParameters,
                                               .compute = compute_ntk_aware};

}  // namespace ropescope
