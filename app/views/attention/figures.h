#pragma once

#include <memory>
#include <optional>
#include <string>

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
  Pairing pairing = Pairing::half_split;  ///< which channels form a pair, whatever the encoding
  std::int64_t tokens_in_file = 0, heads_in_file = 0;
  std::string about;  ///< "RoPE · softmax attention · head 3 of 32"
};

/// The pictures of AttentionKnobs::show. Where nothing has been computed yet they are empty and stale; what cannot be
/// computed is a message in their place.
ViewResult attention_weights(const AttentionShown& shown);
ViewResult attention_shift(const AttentionShown& shown);
ViewResult attention_cost(const AttentionShown& shown);
ViewResult attention_energy(const AttentionShown& shown);

/// The slope of ln(seconds) over ln(tokens) of the longer half of the points; none for fewer than two.
std::optional<double> cost_slope(const MeasuredCost& cost);

/// One empty figure with a sentence, or none while it is being computed.
ViewResult attention_message(const std::string& words, bool stale = false);

/// With a little room on both sides; never empty.
Range with_room(const Range& range);

}  // namespace ropescope
