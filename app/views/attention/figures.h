// Its figures: directions, energy, kernels, cost.
#pragma once

#include <memory>
#include <string>

#include "app/experiment/rope_spec.h"
#include "app/views/attention/inputs.h"
#include "app/views/view.h"

namespace ropescope {

/// What the attention view looks at, ready to compute.
struct AttentionShown {
  const Experiment& experiment;
  const AttentionKnobs& knobs;
  const Text& text;
  Store& store;
  const Encoding* encoding = nullptr;
  AttentionSubject subject;
  RopeAxes rope = {};  ///< of it, which channels form a pair, whatever the encoding
  std::int64_t tokens_in_file = 0, heads_in_file = 0;
  std::string about;  ///< "RoPE · softmax attention · head 3 of 32"
};

/// The pictures of AttentionKnobs::show. Where nothing has been computed yet they are empty and stale; what cannot be
/// computed is a message in their place.
ViewResult attention_weights(const AttentionShown& shown);
ViewResult attention_shift(const AttentionShown& shown);
ViewResult attention_shuffle(const AttentionShown& shown);
ViewResult attention_cost(const AttentionShown& shown);
ViewResult attention_energy(const AttentionShown& shown);
/// The two orders of the products (RoFormer eq. 17, 18), and how many multiplications each takes.
ViewResult attention_products(const AttentionShown& shown);
/// The kernels as curves, and how far random features are from softmax attention.
ViewResult attention_kernel(const AttentionShown& shown);

/// The pairs that turn, but finish no turn over these tokens: as many from a place on, as frequencies fall.
struct SlowPairs {
  Eigen::Index first = 0, count = 0;
};
SlowPairs slow_pairs(const Eigen::VectorXd& frequencies, double tokens);

/// One empty figure with a sentence, or none while it is being computed.
ViewResult attention_message(const std::string& words, bool stale = false);

/// Around values, as a share of what they need.
inline constexpr double kRoom = 0.06;

}  // namespace ropescope
