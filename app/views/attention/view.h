// The view Attention: attention over a sequence with one encoding. inputs.h has its store computations; figures.h,
// heads.h, layers.h and words.h draw it. Read app/views/view.h and core/attention/attention.h first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/views/attention/figures.h"
#include "app/views/view.h"

namespace ropescope {

// --- Cards ---------------------------------------------------------------------------------------------------------

/// Returns whether every row of weights sums to 1, up to rounding: each output is then an average.
bool sums_are_one(const AttentionWeights& weights);
/// Returns the cards on what distinguishes the weights from ordinary averages, and on the key with the largest weight
/// for the query `row`.
std::vector<Readout> weights_readouts(const AttentionShown& shown, const AttentionWeights& weights, Eigen::Index row);
/// Returns the cards on the effect of the selected shift on the outputs, with the selected encoding.
std::vector<Readout> shift_readouts(const AttentionShown& shown, const std::vector<ShiftEffect>& at_shift);
/// Returns the cards on the change in the tokens' outputs in a different order, and on that order in words.
std::vector<Readout> shuffle_readouts(const AttentionShown& shown, const AttentionShuffle& shuffle,
                                      const std::vector<std::string>& words, const std::vector<Eigen::Index>& order);
/// Returns the cards on how the cost of both kinds grows with the number of tokens, and on the number from which linear
/// attention is faster.
std::vector<Readout> cost_readouts(const AttentionShown& shown, const AttentionCost& cost);
/// Returns the cards on the energy by frequency, and on how loose the bound is.
std::vector<Readout> energy_readouts(const AttentionShown& shown, const AttentionEnergy& energy,
                                     const Eigen::VectorXd& frequencies);

/// Returns the slope of ln(seconds) over ln(tokens) for the upper half of the points; nullopt for fewer than two.
std::optional<double> cost_slope(const MeasuredCost& cost);

// --- View ----------------------------------------------------------------------------------------------------------

/// Returns an empty figure with a sentence, or without one while it is being computed.
ViewResult attention_message(const std::string& words, bool stale = false);
/// Returns that figure for a store answer without a result.
template <class Result>
ViewResult message_of(const Store::Answer<Result>& answer, const Text& text) {
  if (answer.nothing()) return attention_message({}, true);
  return attention_message(text.render(answer.fault), !answer.current);
}

}  // namespace ropescope
