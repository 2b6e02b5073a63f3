// Where heads and channels of rotated vectors came from: heads in another order, channels permuted as converters do it
// to wq and wk. Told by the lengths of pairs, which no rotation changes, whatever these are turned by. Read compare.h
// before; report/arranged.h says it in words.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/check/model/model.h"
#include "core/check/reading/planes.h"

namespace ropescope {

/// In what order the channels of a head were put before they were turned. `converted`: halves side by side, channels i
/// and i + n as 2i and 2i + 1, as `permute` of llama.cpp's converter puts the rows of wq and wk
/// (convert_hf_to_gguf.py); `reversed`: by its inverse; `twice`: by it, and by it again.
enum class ChannelOrder { own, converted, reversed, twice };

/// One head after: which head before it is, how its channels were put, and which of them were turned together then.
struct HeadPlace {
  std::int64_t head = 0;
  ChannelOrder order = ChannelOrder::own;
  Pairing turned = Pairing::interleaved;
  bool operator==(const HeadPlace&) const = default;
  bool is_turned_like(const HeadPlace& other) const { return order == other.order && turned == other.turned; }
};

struct Arrangement {
  std::vector<HeadPlace> heads;
  std::int64_t by = 0;  ///< the channels of all heads were permuted as if these were so many; 0: head by head
};

/// None where every head stands in its place and all are turned alike without a permutation (a cause says which pairs),
/// where nothing tells, or where something is at work that changes lengths.
std::optional<Arrangement> arrangement_of(const HeadVectors& vectors, const CheckModel& model);

/// The vectors as the model has them: heads in their places, channels before in the order in which they were turned,
/// both in the pairs of the model.
HeadVectors as_due(const HeadVectors& vectors, const Arrangement& arrangement, const CheckModel& model);

}  // namespace ropescope
