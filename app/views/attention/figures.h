// Pictures of the view Attention: directions, energy, products, kernels and cost, and the state that all its pictures
// share. view.cpp selects between these pictures and those of heads.h, layers.h and words.h. Read view.h first.
#pragma once

#include <memory>
#include <string>

#include "app/experiment/rope_spec.h"
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

}  // namespace ropescope
