// Origin of the heads and channels of rotated vectors, inferred from the lengths of pairs, which no rotation changes.
// For causes/arrangements.cpp. Read compare.h first.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/check/model/model.h"
#include "core/check/reading/planes.h"

namespace ropescope {

/// The permutation of a head's 2n channels before the rotation. `own`: none. `converted`: channels i and i + n become
/// 2i and 2i + 1, as `permute` in llama.cpp's converter (convert_hf_to_gguf.py) reorders the rows of wq and wk.
/// `reversed`: its inverse. `twice`: `converted`, applied twice.
enum class ChannelOrder { own, converted, reversed, twice };

/// The origin of a head in `after`: its head in `before`, its permutation, and the pairing that rotated it.
struct HeadPlace {
  std::int64_t head = 0;
  ChannelOrder order = ChannelOrder::own;
  Pairing turned = Pairing::interleaved;
  bool operator==(const HeadPlace&) const = default;
  bool is_rotated_like(const HeadPlace& other) const { return order == other.order && turned == other.turned; }
};

/// The origin of every head in `after`.
struct Arrangement {
  std::vector<HeadPlace> heads;
  std::int64_t by = 0;  ///< head count that one permutation of all channels assumed; 0: each head was permuted alone
};

/// Infers the origin of every head. Returns nullopt if all heads are in place and rotated alike without a permutation
/// (a cause then names the pairing), if no length is conclusive, or if something changes lengths.
std::optional<Arrangement> find_arrangement(const HeadVectors& vectors, const CheckModel& model);

/// Returns the vectors as in the model: heads in place, `before` in the channel order in which it was rotated, both in
/// the model's pairing.
HeadVectors restore_order(const HeadVectors& vectors, const Arrangement& arrangement, const CheckModel& model);

}  // namespace ropescope
