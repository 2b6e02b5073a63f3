// Names of the query and key tensors in checkpoints, one table for all families. core/formats/weights.h reads the
// tensors.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/rotary/spec.h"

namespace ropescope {

/// The part of the attention that a tensor is. fused: q, k and v in one matrix. The norms are those of their weights.
enum class WeightRole {
  query,
  key,
  fused,
  query_norm,
  key_norm,
  input_norm,
  latent_query,       ///< from the compressed query (multi-head latent attention)
  latent_key,         ///< compressed keys and values, then the rotated part of the key
  latent_query_norm,  ///< norm of the compressed query
};

/// Rows of a fused matrix: all q, then all k, then all v; for each group its q, then its k and v; or, for each part,
/// columns instead of rows.
enum class FusedRows { concatenated, grouped, columns };

/// A name in the table, with # for the layer number.
struct WeightName {
  std::string_view name;
  WeightRole role;
  FusedRows fused = FusedRows::concatenated;
  std::optional<Pairing> pairing = {};  ///< of the rows of q and k; nullopt: as the config defines
};

/// Largest supported layer number.
inline constexpr int kMaxWeightLayer = 1023;

/// A tensor of the attention of one layer.
struct MatchedWeight {
  const WeightName* entry = nullptr;
  std::string prefix;  ///< what precedes the layer number: "model.layers."
  int layer = 0;
  int head = 0;       ///< of a norm with one tensor per head
  bool bias = false;  ///< the bias of a projection or norm
};
/// Matches "model.layers.3.self_attn.q_proj.weight"; nullopt for other tensors and those of vision or audio towers.
/// Source of the names: modeling files of huggingface/transformers 5.16 and of the models' repositories; GGUF: ggml-org
/// llama.cpp, gguf-py/gguf/constants.py.
std::optional<MatchedWeight> match_weight(std::string_view tensor);

/// Returns whether the norms of a model_type multiply by 1 + weight.
bool adds_one_to_norms(std::string_view model_type);

}  // namespace ropescope
