#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/attention/attention.h"

namespace ropescope {

/// q, k and perhaps v of one layer of a model, before any position encoding is applied to them: row-major
/// [tokens, heads, channels]. Keys and values may have fewer heads, each shared by as many query heads (grouped-query
/// attention).
struct AttentionDump {
  std::int64_t tokens = 0;
  std::int64_t heads = 0;      ///< of q
  std::int64_t key_heads = 0;  ///< of k and v; divides heads
  std::int64_t head_dim = 0;   ///< channels of q and k
  std::int64_t value_dim = 0;  ///< channels of v; 0: there is none
  std::vector<double> q, k, v;
};

/// Reads a .npz with arrays q, k and perhaps v, each [tokens, heads, head_dim] or [tokens, head_dim], or a .npy where q
/// and k (and v) are stacked: [2 or 3, tokens, heads, head_dim] or [2 or 3, tokens, head_dim]. Which of both it is says
/// the content, not the name. `source` names the file in errors. Throws InputError: as parse_npy and parse_npz_array
/// do, shapes that do not fit each other, no numbers at all, integers, numbers that are not finite.
AttentionDump parse_attention_dump(std::span<const std::byte> bytes, const std::string& source);

/// One head's vectors, counted from 1; at most `tokens` of them, from the first on. Throws InputError where there is
/// no such head ("SOURCE: …").
AttentionInput head_of(const AttentionDump& dump, std::int64_t head, std::int64_t tokens, const std::string& source);

}  // namespace ropescope
