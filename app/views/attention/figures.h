// The pictures of the view Attention that have no file of their own: directions, energy, products, kernels, cost; and
// what all of them look at. view.h chooses between them and those of heads.h, layers.h and words.h.
#pragma once

#include <memory>
#include <string>

#include "app/experiment/rope_spec.h"
#include "app/views/attention/inputs.h"
#include "app/views/view.h"

namespace ropescope {

struct LayersShown;

/// What the attention view looks at, ready to compute.
struct AttentionShown {
  const Experiment& experiment;
  const AttentionFields& fields;
  const Text& text;
  Store& store;
  const Encoding* encoding = nullptr;
  AttentionSubject subject;
  RopeAxes rope = {};  ///< of it, which channels form a pair, whatever the encoding
  std::int64_t tokens_in_file = 0, heads_in_file = 0;
  std::string about;  ///< "RoPE · softmax attention · head 3 of 32"
};

/// The pictures of AttentionFields::show. Where nothing has been computed yet they are empty and stale; what cannot be
/// computed is a message in their place.
ViewResult attention_cost(const AttentionShown& shown);
ViewResult attention_energy(const AttentionShown& shown);
/// The two orders of the products (RoFormer eq. 17, 18), and how many multiplications each takes.
ViewResult attention_products(const AttentionShown& shown);
/// The kernels as curves, and how far random features are from softmax attention.
ViewResult attention_kernel(const AttentionShown& shown);

/// The picture "directions" of a file: where the mean q and k of each pair of the chosen head point.
ViewResult directions_picture(const LayersShown& shown);

/// The pairs that turn, but finish no turn over these tokens. As frequencies fall, they are `count` pairs from `first`
/// on.
struct SlowPairs {
  Eigen::Index first = 0, count = 0;
};
SlowPairs slow_pairs(const Eigen::VectorXd& frequencies, double tokens);

/// The room around values on an axis, as a share of what they need.
inline constexpr double kRoom = 0.06;

}  // namespace ropescope
