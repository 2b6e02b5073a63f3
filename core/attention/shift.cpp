#include "core/attention/attention.h"
#include "core/error.h"

namespace ropescope {

std::vector<ShiftEffect> shift_effects(const EncodingModel& model, const AttentionInput& input, AttentionKind kind,
                                       std::span<const std::int64_t> shifts, const AttentionOptions& options,
                                       std::stop_token stop) {
  if (input.values.rows() == 0) throw InputError("attention.no_values", {});
  const auto outputs_at = [&](std::int64_t first_position) -> TokenMatrix {
    AttentionOptions shifted = options;
    shifted.first_position = first_position;
    if (kind == AttentionKind::linear) return linear_attention_outputs(model, input, shifted, stop);
    return softmax_attention<double>(model, input, shifted, stop).outputs;
  };
  std::vector<ShiftEffect> effects;
  const TokenMatrix still = outputs_at(options.first_position);
  for (const std::int64_t shift : shifts) {
    const TokenMatrix moved = outputs_at(options.first_position + shift);
    if (stop.stop_requested()) break;
    ShiftEffect effect{shift, (moved - still).rowwise().norm(), 0};
    effect.relative = effect.change.norm() / still.norm();
    effects.push_back(std::move(effect));
  }
  return effects;
}

}  // namespace ropescope
