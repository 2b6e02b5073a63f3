// Attention when positions shift, or words change their order.

#include <limits>
#include <numeric>
#include <utility>

#include "core/attention/attention.h"
#include "core/decay/kernel.h"
#include "core/words.h"

namespace ropescope {

// --- Shifted positions ---------------------------------------------------------------------------------------------

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

// --- Shuffled words ------------------------------------------------------------------------------------------------

namespace {

TokenMatrix reordered(const TokenMatrix& rows, std::span<const Eigen::Index> order) {
  TokenMatrix out(rows.rows(), rows.cols());
  for (Eigen::Index place = 0; place < rows.rows(); ++place) {
    out.row(place) = rows.row(order[static_cast<std::size_t>(place)]);
  }
  return out;
}

/// Row and column of place i at those of the token order[i].
RowMatrix<double> put_back(const RowMatrix<double>& weights, std::span<const Eigen::Index> order) {
  RowMatrix<double> out(weights.rows(), weights.cols());
  for (Eigen::Index row = 0; row < weights.rows(); ++row) {
    for (Eigen::Index column = 0; column < weights.cols(); ++column) {
      out(order[static_cast<std::size_t>(row)], order[static_cast<std::size_t>(column)]) = weights(row, column);
    }
  }
  return out;
}

void leave_out_later_keys(RowMatrix<double>& weights) {
  for (Eigen::Index row = 0; row < weights.rows(); ++row) {
    weights.row(row).tail(weights.cols() - 1 - row).setConstant(std::numeric_limits<double>::quiet_NaN());
  }
}

}  // namespace

ShuffleEffect shuffle_effect(const EncodingModel& model, const AttentionInput& input, AttentionKind kind,
                             std::span<const Eigen::Index> order, const AttentionOptions& options,
                             std::stop_token stop) {
  if (input.values.rows() == 0) throw InputError("attention.no_values", {});
  const auto attention_of = [&](const AttentionInput& tokens) {
    Attention<double> attention = kind == AttentionKind::linear
                                      ? linear_attention<double>(model, tokens, options, stop)
                                      : softmax_attention<double>(model, tokens, options, stop);
    if (options.causal) leave_out_later_keys(attention.weights);
    return attention;
  };
  Attention<double> before = attention_of(input);
  const Attention<double> dealt =
      attention_of({reordered(input.queries, order), reordered(input.keys, order), reordered(input.values, order)});
  if (stop.stop_requested()) return {};
  ShuffleEffect effect;
  TokenMatrix outputs(before.outputs.rows(), before.outputs.cols());
  for (Eigen::Index place = 0; place < outputs.rows(); ++place) {
    outputs.row(order[static_cast<std::size_t>(place)]) = dealt.outputs.row(place);
  }
  effect.change = (outputs - before.outputs).rowwise().norm();
  effect.relative = effect.change.norm() / before.outputs.norm();
  effect.after = put_back(dealt.weights, order);
  effect.before = std::move(before.weights);
  return effect;
}

std::vector<Eigen::Index> dealt_order(Eigen::Index tokens, std::uint64_t seed) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(tokens));
  std::iota(order.begin(), order.end(), 0);
  SplitMix generator{seed};
  for (std::size_t last = order.size(); last > 1; --last) {
    const auto chosen = static_cast<std::size_t>(generator.uniform() * static_cast<double>(last));
    std::swap(order[last - 1], order[chosen]);
  }
  return order;
}

}  // namespace ropescope
