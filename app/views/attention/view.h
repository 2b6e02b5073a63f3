// The view Attention: attention over a sequence with one encoding. inputs.h is what the store computes; figures.h,
// heads.h, layers.h and words.h make the pictures. Read app/views/view.h and core/attention/attention.h before.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/views/attention/figures.h"
#include "app/views/view.h"

namespace ropescope {

// --- Cards ---------------------------------------------------------------------------------------------------------

/// What of the weights is told apart from ordinary averages, and the key that counts most for the query `row`.
std::vector<Readout> weights_readouts(const AttentionShown& shown, const AttentionWeights& weights, Eigen::Index row);
/// What the chosen shift does to the outputs of the chosen encoding.
std::vector<Readout> shift_readouts(const AttentionShown& shown, const std::vector<ShiftEffect>& at_shift);
/// How much the outputs of the tokens change in another order: which one it is, in words.
std::vector<Readout> shuffle_readouts(const AttentionShown& shown, const AttentionShuffle& shuffle,
                                      const std::vector<std::string>& words, const std::vector<Eigen::Index>& order);
/// How both kinds grow with the tokens, and from where on linear attention is faster.
std::vector<Readout> cost_readouts(const AttentionShown& shown, const AttentionCost& cost);
/// Who uses which frequency, and how loose the bound is.
std::vector<Readout> energy_readouts(const AttentionShown& shown, const AttentionEnergy& energy,
                                     const Eigen::VectorXd& frequencies);

/// The slope of ln(seconds) over ln(tokens) of the longer half of the points; none for fewer than two.
std::optional<double> cost_slope(const MeasuredCost& cost);

// --- View ----------------------------------------------------------------------------------------------------------

/// One empty figure with a sentence, or none while it is being computed.
ViewResult attention_message(const std::string& words, bool stale = false);
/// That figure for an answer without a result.
template <class Result>
ViewResult message_of(const Store::Answer<Result>& answer, const Text& text) {
  if (answer.nothing()) return attention_message({}, true);
  return attention_message(text.say(answer.fault), !answer.current);
}

/// Attention over a sequence with one encoding; AttentionFields::show picks the picture. weights: how much of each
/// value goes into each output, one row of it, sums of rows and means by distance. shift: how far outputs change when
/// all positions move. shuffle: what another order of the tokens does to weights and outputs; a token of its lower line
/// is dragged to another place. cost: measured times of softmax and linear attention against the number of tokens.
/// energy: mean score by distance beside its bound, and how much of q and k each pair of channels holds. The rope's
/// context extension plays no part here. A click into the map, or on the sums of rows, picks the query whose weights
/// are drawn as a curve. Opens a .npz or .npy of q and k.
extern const View kAttentionView;

}  // namespace ropescope
