// Dumps of attention vectors: arrays q, k and v, metadata notes, and pair means. Read tensor_file.h first;
// core/attention/attention.h computes with the vectors.
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
#include "core/message.h"
#include "core/parallel.h"

namespace ropescope {

// --- Dump ----------------------------------------------------------------------------------------------------------

/// Sizes of q, k and v in a dump.
struct DumpSizes {
  std::int64_t tokens = 0;
  std::int64_t heads = 0;      ///< of q
  std::int64_t key_heads = 0;  ///< of k and v; divides heads
  std::int64_t head_dim = 0;   ///< channels of q and k
};

/// q, k and optionally v of one layer of a model, before any position encoding: [tokens, heads, channels], in the
/// stored format. There may be fewer key and value heads than query heads; each is then shared by several query heads
/// (grouped-query attention).
struct AttentionDump : DumpSizes {
  std::int64_t value_dim = 0;  ///< channels of v; 0 if the dump has no v
  StoredTensor q, k, v;
  std::array<Message, 3> names;  ///< of q, k and v in errors
};

struct DumpReading {
  bool values = true;   ///< false: v is not read, and value_dim is 0
  bool shapes = false;  ///< reads the shapes only: q, k and v stay empty
  /// Receives the shapes before anything is unpacked; throws to reject them.
  std::function<void(const AttentionDump&)> accept;
  std::stop_token stop;               ///< cancels unpacking with an InputError
  std::optional<std::int64_t> layer;  ///< number of the layer to read in a file with several; nullopt: the first
};

/// Returns the layer numbers of a dump in ascending order: 3 if it has "q.3" and "k.3". Empty if its one layer has no
/// number (q and k, or a .npy). Throws InputError as list_npz and read_safetensors_header do, and if a layer has only
/// one of q and k.
std::vector<std::int64_t> dump_layers(std::span<const std::byte> bytes, const std::string& source);

/// Reads a .npz, .safetensors, .pt, .gguf or ggml dump with arrays q, k and optionally v (of a layer: q.0, k.0, v.0),
/// each [tokens, heads, head_dim] or [tokens, head_dim]; or a .npy that stacks q and k (and v): [2 or 3, tokens, heads,
/// head_dim] or [2 or 3, tokens, head_dim]. The content determines the format, not the name (for ggml dumps: both).
/// Arrays of a .npz or .pt are unpacked; others point into `bytes`, which `owner` keeps alive. `source` names the file
/// in errors. Throws InputError as view_npy, open_npz_array and open_tensor do, and for mismatched shapes, empty
/// arrays, integers, or a missing layer.
AttentionDump parse_attention_dump(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                   const std::string& source, const DumpReading& reading = {});

/// Shape and layers of a dump.
struct DumpShape : DumpSizes {
  std::string source;                ///< names the file in errors
  std::vector<std::int64_t> layers;  ///< layer numbers; {0} if the file has none
  bool numbered = false;             ///< the arrays are named q.0, k.0, …
};
/// Reads the shape of a dump without its vectors. Throws what parse_attention_dump and dump_layers throw.
DumpShape parse_dump_shape(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                           const std::string& source, DumpReading reading = {});

/// Throws InputError, which names both files, unless `second` has the head counts and head_dim of `first`.
void require_same_heads(const DumpShape& first, const DumpShape& second);
/// Returns the layers that the two dumps share. Throws InputError if there are none.
std::vector<std::int64_t> common_layers(const DumpShape& first, const DumpShape& second);
/// Throws InputError unless `layer` is one of `layers`. Precondition: `layers` is in ascending order.
void require_layer(const std::vector<std::int64_t>& layers, std::int64_t layer, const std::string& source);

/// Returns the first `tokens` vectors, at most, of a head (counted from 1). Throws InputError if there is no such head
/// ("SOURCE: …") or if one of its numbers is not finite.
AttentionInput head_of(const AttentionDump& dump, std::int64_t head, std::int64_t tokens, const std::string& source);

/// Return the first `tokens` rows, at most, of q or k of one head. Heads are counted from 0, key heads by their own
/// number (there may be fewer). Precondition: the head exists.
TokenMatrix query_rows(const AttentionDump& dump, std::int64_t head, std::int64_t tokens);
TokenMatrix key_rows(const AttentionDump& dump, std::int64_t key_head, std::int64_t tokens);

// --- Notes ---------------------------------------------------------------------------------------------------------

/// Roles of a dump's tensors: the options of `check` that take a tensor.
inline constexpr std::string_view kDumpRoles[] = {"positions", "ids",         "cos",    "sin",
                                                  "table",     "frequencies", "before", "after"};

/// Notes on the tensors in the "__metadata__" of a .safetensors, as assets/dump/ropescope_dump.py and
/// assets/dump/ropescope_dump.h write them.
struct DumpNotes {
  std::optional<std::string> config;  ///< "ropescope.config": the text of a config.json
  /// "ropescope.layout", and the object "ropescope.options": options of `check` without their dashes, each with its
  /// arguments (a JSON list stands for several).
  std::vector<std::pair<std::string, std::vector<std::string>>> options;
  /// "ropescope.roles": pairs of a role (one of kDumpRoles) and a tensor name.
  std::vector<std::pair<std::string, std::string>> roles;
};

/// Reads the notes of a .safetensors; metadata of other programs is ignored. Throws InputError as
/// read_safetensors_header does for the header alone, and for: an unknown key that begins with "ropescope.", a value
/// that is not a string, options or roles that are not a JSON object, an unknown role.
DumpNotes read_dump_notes(std::span<const std::byte> bytes, const std::string& source);

// --- Means ---------------------------------------------------------------------------------------------------------

/// Means over the tokens of each head of a layer.
struct LayerMeans {
  std::vector<PairMeans> queries;  ///< [heads]
  std::vector<PairMeans> keys;     ///< [key heads], each shared by heads ÷ key heads consecutive query heads

  const PairMeans& keys_of(std::size_t head) const { return keys[head / (queries.size() / keys.size())]; }
  /// Returns mean |q_i| · mean |k_i| of a head, the mean of |q_i||k_i| over all its token pairs: [pairs].
  Eigen::VectorXd product(std::size_t head) const;
  /// Returns product(head) averaged over the heads: [pairs].
  Eigen::VectorXd product() const;
  /// Returns mean(q_i) · conj(mean(k_i)) of a head, the score part common to all token pairs: [pairs].
  Eigen::VectorXcd fixed(std::size_t head) const;
  /// Returns Σ_i |fixed_i| ÷ Σ_i product_i of a head, 0…1: the share of its product that has the same direction at
  /// every token. 0 if the product is 0.
  double fixed_share(std::size_t head) const;
};

/// Returns each pair's share of the sum of `product`: 0…1, summing to 1; all 0 if the sum is 0.
Eigen::VectorXd shares(const Eigen::VectorXd& product);
/// Returns ½ Σ_i |a_i − b_i| of two such shares, 0…1: the share that has moved to other pairs.
double moved_share(const Eigen::VectorXd& a, const Eigen::VectorXd& b);

// Each thread keeps the vectors of one head in memory (tokens × head_dim doubles). One thread computes a head from its
// first token to its last, so results do not depend on the number of threads. Only the first `tokens` tokens count.
// The functions throw InputError for a number that is not finite; if several heads have one, the error names the first.
// They return an empty result if cancelled.

LayerMeans layer_means(const AttentionDump& dump, std::int64_t tokens, Pairing pairing, int pair_count,
                       const Work& work = {});
/// Scores of the heads first … first + count − 1, counted from 0.
std::vector<HeadScores> layer_scores(const AttentionDump& dump, std::int64_t first, std::int64_t count,
                                     std::int64_t tokens, const HeadTurns& turns, const Work& work = {});

}  // namespace ropescope
