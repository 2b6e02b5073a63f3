// Dumps of real attention vectors: reading them, notes on what they lack, means of pairs. Read tensor_file.h first;
// core/attention/heads.h computes with what is read.
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
#include <string_view>
#include <utility>
#include <vector>

#include "core/attention/attention.h"
#include "core/check/reading/stored_tensor.h"
#include "core/parallel.h"
#include "core/words.h"

namespace ropescope {

// --- Dump ----------------------------------------------------------------------------------------------------------

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

/// Reads a .npz, .safetensors, .pt, .gguf or dump of ggml with arrays q, k and perhaps v, each [tokens, heads,
/// head_dim] or [tokens, head_dim] (of a layer: q.0, k.0, v.0), or a .npy where q and k (and v) are stacked: [2 or 3,
/// tokens, heads, head_dim] or [2 or 3, tokens, head_dim]. Which of them it is says the content, not the name (of a
/// dump of ggml both). The arrays of a .npz or .pt are unpacked, the others point into `bytes`, which `owner` keeps
/// alive. `source` names the file in errors. Throws InputError: as view_npy, open_npz_array and open_tensor do, shapes
/// that do not fit each other, no numbers at all, integers, a layer that is not there.
AttentionDump parse_attention_dump(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                   const std::string& source, const DumpReading& reading = {});

/// What a dump says of its shape.
struct DumpShape {
  std::string source;                ///< names the file in errors
  std::vector<std::int64_t> layers;  ///< their numbers; 0 alone where the file gives none
  bool numbered = false;             ///< the arrays are called q.0, k.0, …
  std::int64_t tokens = 0, heads = 0, key_heads = 0, head_dim = 0;
};
/// Reads it as parse_attention_dump does, and throws what it and dump_layers throw.
DumpShape parse_dump_shape(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                           const std::string& source, DumpReading reading = {});

/// Throws InputError, which names both, unless `second` has the heads and channels of `first`.
void require_same_heads(const DumpShape& first, const DumpShape& second);
/// The layers that both have. Throws InputError where there is none.
std::vector<std::int64_t> common_layers(const DumpShape& first, const DumpShape& second);
/// Throws InputError unless the layer is one of these, which are in rising order.
void require_layer(const std::vector<std::int64_t>& layers, std::int64_t layer, const std::string& source);

/// One head's vectors, counted from 1; at most `tokens` of them, from the first on. Throws InputError where there is
/// no such head ("SOURCE: …") or a number of it is not finite.
AttentionInput head_of(const AttentionDump& dump, std::int64_t head, std::int64_t tokens, const std::string& source);

/// One head's q or k alone, at most `tokens` of them, heads counted from 0 and each by its own number (keys may have
/// fewer). Precondition: there is such a head.
TokenMatrix query_rows(const AttentionDump& dump, std::int64_t head, std::int64_t tokens);
TokenMatrix key_rows(const AttentionDump& dump, std::int64_t key_head, std::int64_t tokens);

// --- Notes ---------------------------------------------------------------------------------------------------------

/// What a tensor of a dump is: the options of `check` that take one.
inline constexpr std::string_view kDumpRoles[] = {"positions", "ids",         "cos",    "sin",
                                                  "table",     "frequencies", "before", "after"};

/// What the "__metadata__" of a .safetensors says of its tensors, as assets/dump/ropescope_dump.py and
/// assets/dump/ropescope_dump.h write it.
struct DumpNotes {
  std::optional<std::string> config;  ///< "ropescope.config": the text of a config.json
  /// "ropescope.layout", and the object "ropescope.options": options of `check` without their dashes, and what they are
  /// given; of a list all of it.
  std::vector<std::pair<std::string, std::vector<std::string>>> options;
  /// "ropescope.roles": one of kDumpRoles, and the name of a tensor.
  std::vector<std::pair<std::string, std::string>> roles;
};

/// Reads them; what others say in their metadata does not matter. Throws InputError as read_safetensors_header does for
/// the header alone, and: a key that begins with "ropescope." and is none of these, a value that is no text, options or
/// roles that are no JSON object, a role that is unknown.
DumpNotes read_dump_notes(std::span<const std::byte> bytes, const std::string& source);

// --- Means ---------------------------------------------------------------------------------------------------------

/// What the tokens of each head of a layer have in common.
struct LayerMeans {
  std::vector<PairMeans> queries;  ///< [heads]
  std::vector<PairMeans> keys;     ///< [key heads], each shared by heads ÷ key heads neighbouring queries

  const PairMeans& keys_of(std::size_t head) const { return keys[head / (queries.size() / keys.size())]; }
  /// mean |q_i| · mean |k_i| of a head, the mean of |q_i||k_i| over all its pairs of tokens: [pairs].
  Eigen::VectorXd product(std::size_t head) const;
  /// product() averaged over the heads.
  Eigen::VectorXd product() const;
  /// mean(q_i) · conj(mean(k_i)) of a head: [pairs], the part of the score that every pair of tokens has.
  Eigen::VectorXcd fixed(std::size_t head) const;
  /// Σ_i |fixed_i| ÷ Σ_i product_i of a head, 0…1: how much of what it carries points the same way at every token. 0
  /// where it carries nothing.
  double fixed_share(std::size_t head) const;
};

/// What each pair holds of all of them: 0…1, summing to 1; all 0 where they hold nothing.
Eigen::VectorXd shares(const Eigen::VectorXd& product);
/// ½ Σ_i |a_i − b_i| of two such shares, 0…1: how much of them lies in other pairs.
double moved_share(const Eigen::VectorXd& a, const Eigen::VectorXd& b);

// The vectors of one head (tokens × head_dim doubles) are held at a time by each thread; a head is computed by one of
// them from its first token to its last, so that the numbers are the same for any number of threads. The first `tokens`
// tokens count. Throw InputError where a number is not finite (of several, the one of the first head). Empty where
// they were stopped.

LayerMeans layer_means(const AttentionDump& dump, std::int64_t tokens, Pairing pairing, int pair_count,
                       const Work& work = {});
/// Heads first … first + count − 1, counted from 0.
std::vector<HeadScores> layer_scores(const AttentionDump& dump, std::int64_t first, std::int64_t count,
                                     std::int64_t tokens, const HeadTurns& turns, const Work& work = {});

}  // namespace ropescope
