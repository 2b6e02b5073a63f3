#include "core/scaling/parts.h"

namespace ropescope {

namespace {

constexpr ScalingParameter kDiffusersNtkParameters[] = {kFactor};

ScaledLadder compute_diffusers_ntk(const ScalingInput& input) {
  return rebased_ladder(input.axis, input.axis.base * number_of(input, "factor"));
}

}  // namespace

/// Base b·s, without NTK's exponent d/(d−2): `ntk_factor` of diffusers `get_1d_rotary_pos_embed`.
extern constinit const ScalingMethod kDiffusersNtk{.name = "diffusers-ntk",
                                                   .source = "huggingface/diffusers get_1d_rotary_pos_embed",
                                                   .parameters = kDiffusersNtkParameters,
                                                   .compute = compute_diffusers_ntk};

}  // namespace ropescope
