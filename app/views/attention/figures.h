// Pictures and cards of the view Attention, and the state that all its pictures share. view.cpp selects between them
// and the pictures of layers.h and words.h; inputs.h has the store computations. Read app/views/view.h and
// core/attention/attention.h first.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/experiment/rope_spec.h"
#include "app/figure/figure.h"
#include "app/views/attention/inputs.h"
#include "app/views/view.h"

namespace ropescope {

struct LayersShown;

/// The state of the view Attention for its pictures, ready to compute.
struct AttentionShown {
  const Experiment& experiment;
  const AttentionFields& fields;
  const Text& text;
  Store& store;
  AttentionSubject subject = {};
  RopeAxes rope = {};  ///< the rope's channel pairs, whatever the encoding
  std::int64_t tokens_in_file = 0, heads_in_file = 0;
  std::string about = {};  ///< "RoPE · softmax attention · head 3 of 32"
  const Encoding& encoding() const { return *subject.ready.encoding; }
};

/// Draws a picture of AttentionFields::show. Until something has been computed the picture is empty and stale; a
/// message replaces what cannot be computed.
ViewResult attention_cost(const AttentionShown& shown);
ViewResult attention_energy(const AttentionShown& shown);
/// Draws the two orders of the products (RoFormer eq. 17, 18) and the number of multiplications of each.
ViewResult attention_products(const AttentionShown& shown);
/// Draws the kernels as curves, and the error of random features relative to softmax attention.
ViewResult attention_kernel(const AttentionShown& shown);

/// Draws the picture "directions" of a file: the direction of the mean q and k of each pair of the selected head.
ViewResult directions_picture(const LayersShown& shown);

/// The pairs that rotate but complete no turn over these tokens. Frequencies fall, so they are `count` consecutive
/// pairs from `first`.
struct SlowPairs {
  Eigen::Index first = 0, count = 0;
};
SlowPairs slow_pairs(const Eigen::VectorXd& frequencies, double tokens);

/// Margin around the values on an axis, as a fraction of their range.
inline constexpr double kValueMargin = 0.06;

/// Draws the picture "weights" of AttentionFields::show. Until it has been computed it is empty and stale; a message
/// replaces what cannot be computed.
ViewResult attention_weights(const AttentionShown& shown);

/// Draws the mean scores by distance of all heads of a layer, page by page.
ViewResult heads_picture(const LayersShown& shown);

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
