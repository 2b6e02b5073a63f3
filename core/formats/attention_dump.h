#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/attention/attention.h"
#include "core/check/reading/stored_tensor.h"
#include "core/words.h"

namespace ropescope {

/// q, k and perhaps v of one layer of a model, before any position encoding is applied to them:
/// [tokens, heads, channels], as they are stored. Keys and values may have fewer heads, each shared by as many query
/// heads (grouped-query attention).
struct AttentionDump {
  std::int64_t tokens = 0;
  std::int64_t heads = 0;      ///< of q
  std::int64_t key_heads = 0;  ///< of k and v; divides heads
  std::int64_t head_dim = 0;   ///< channels of q and k
  std::int64_t value_dim = 0;  ///< channels of v; 0: there is none
  StoredTensor q, k, v;
  std::array<Words, 3> names;  ///< of q, k and v in errors
};

struct DumpReading {
  bool values = true;   ///< false: v is not read, and there is none
  bool shapes = false;  ///< nothing but the shapes is read: q, k and v stay empty
  /// Is given the shapes before anything is unpacked, and throws where they are not wanted.
  std::function<void(const AttentionDump&)> accept;
  std::stop_token stop;               ///< ends unpacking by an InputError
  std::optional<std::int64_t> layer;  ///< of a file that holds several, by its number; none: its first one
};

/// The layers of a dump by their numbers, in rising order: 3 where there is a "q.3" or a "k.3". None where it holds one
/// layer without a number (q and k, or a .npy). Throws InputError as list_npz and read_safetensors_header do, and where
/// a layer has one of q and k alone.
std::vector<std::int64_t> dump_layers(std::span<const std::byte> bytes, const std::string& source);

/// Reads a .npz or .safetensors with arrays q, k and perhaps v, each [tokens, heads, head_dim] or [tokens, head_dim]
/// (of a layer: q.0, k.0, v.0), or a .npy where q and k (and v) are stacked: [2 or 3, tokens, heads, head_dim] or [2 or
/// 3, tokens, head_dim]. Which of them it is says the content, not the name. The arrays of a .npz are unpacked, the
/// others point into `bytes`, which `owner` keeps alive. `source` names the file in errors. Throws InputError: as
/// view_npy, open_npz_array and open_safetensors do, shapes that do not fit each other, no numbers at all, integers, a
/// layer that is not there.
AttentionDump parse_attention_dump(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                   const std::string& source, const DumpReading& reading = {});

/// One head's vectors, counted from 1; at most `tokens` of them, from the first on. Throws InputError where there is
/// no such head ("SOURCE: …") or a number of it is not finite.
AttentionInput head_of(const AttentionDump& dump, std::int64_t head, std::int64_t tokens, const std::string& source);

/// The same of q or of k alone, heads counted from 0 and each by its own number (keys may have fewer). Precondition:
/// there is such a head.
TokenMatrix query_rows(const AttentionDump& dump, std::int64_t head, std::int64_t tokens);
TokenMatrix key_rows(const AttentionDump& dump, std::int64_t key_head, std::int64_t tokens);

}  // namespace ropescope
