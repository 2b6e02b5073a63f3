#include "core/scaling/parts.h"

namespace ropescope {

namespace {

constexpr ScalingParameter kDynamicParameters[] = {kFactor};

ScaledLadder compute_dynamic(const ScalingInput& input) {
  const double factor = number_of(input, "factor"), length = current_length(input);
  if (length <= *input.trained_length) return plain_ladder(input.axis);
  const double stretch = factor * length / *input.trained_length - (factor - 1);
  return rebased_ladder(input.axis, ntk_base(input.axis, stretch));
}

}  // namespace

/// Base b·(s·l/L − (s − 1))^(d/(d−2)) for a sequence of length l > L, the plain ladder below. Here L is
/// max_position_embeddings, whatever else a config says. transformers `_compute_dynamic_ntk_parameters`.
extern constinit const ScalingMethod kDynamic{.name = "dynamic",
                                              .source = "huggingface/transformers _compute_dynamic_ntk_parameters",
                                              .parameters = kDynamicParameters,
                                              .depends_on_length = true,
                                              .identity_at_factor_one = false,
                                              .needs_trained_length = true,
                                              .compute = compute_dynamic};

}  // namespace ropescope
