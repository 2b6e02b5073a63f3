// Query and key weights in checkpoints: which tensors of which files, the heads and rotation of each layer, and their
// numbers. core/weights/weights.h computes with them; families/weight_names.cpp contains the names. Read tensor_file.h
// first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/check/reading/stored_tensor.h"
#include "core/formats/config.h"
#include "core/formats/dumps/gguf.h"
#include "core/rotary/spec.h"
#include "core/weights/weights.h"

namespace ropescope {

/// Bytes of a file, kept alive by `owner`.
struct WeightBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
  std::string source;  ///< names the file in errors
};

// --- Models --------------------------------------------------------------------------------------------------------

/// The data of a config that tensor shapes do not determine.
struct WeightModel {
  std::string source;  ///< names the config in errors
  std::vector<Profile> profiles;
  std::map<int, std::size_t> profile_of_layer;  ///< layers with a profile other than the first
  std::set<int> unrotated;                      ///< layers without rotary embedding
  std::optional<int> heads, key_heads;          ///< nullopt: from the shapes
  bool norms_plus_one = false;                  ///< norms multiply by 1 + weight
  bool decays = false;  ///< scores also decay with the distance (xPos), so weights alone give no kernel
};
/// Reads the text of a config.json. Throws InputError as parse_model_config() does.
WeightModel parse_weight_model(std::string_view config, const std::string& source);
/// Reads the metadata of a GGUF. Throws InputError as parse_gguf_config() does.
WeightModel parse_weight_model(std::span<const GgufFile> parts);
/// Beginning of the keys of these notes.
inline constexpr std::string_view kWeightNotes = "ropescope.";
/// Reads the notes that `ropescope race --weights` writes into a .safetensors: encoding, heads, head_dim, pairing,
/// base, length and p; nullopt if there are none. Throws InputError for another encoding than a rotary one, an
/// unknown pairing, or a bad number.
std::optional<WeightModel> find_weight_model(const WeightBytes& file);
/// Returns the profile of a layer.
const Profile& profile_of(const WeightModel& model, int layer);
/// Returns the rotation of a layer under its profile's extension. `pairing` is WeightDirectory::pairing.
WeightRope rope_of(const WeightModel& model, int layer, std::optional<Pairing> pairing = {});

// --- Names ---------------------------------------------------------------------------------------------------------

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

// --- Tensors -------------------------------------------------------------------------------------------------------

/// A tensor of a file, not yet read.
struct WeightTensor : TensorEntry {
  MatchedWeight matched = {};
  std::size_t file = 0;                 ///< index of its file
  std::optional<Storage> storage = {};  ///< nullopt: blocks of ggml
  std::uint32_t blocks = 0;             ///< ggml type of the blocks
  bool big_endian = false;
  bool archived = false;  ///< in a .pt: opened by name
};

/// Returns the tensors of the attention in a .safetensors, .gguf, .pt or .pth, in the order of the file. Throws
/// InputError as the readers of these files do, for another kind of file, and for a matched tensor whose number format
/// is not supported (names it).
std::vector<WeightTensor> list_weights(const WeightBytes& file, std::size_t index);

/// The tensors of a model that belong to its language tower, and its layers with both q and k in ascending order.
struct WeightDirectory {
  std::string source;  ///< names the weights in errors
  std::vector<WeightTensor> tensors;
  std::vector<int> layers;
  std::vector<int> incomplete;     ///< layers that have q or k, but not both
  std::optional<Pairing> pairing;  ///< of the rows, if the tensor names define it; it overrides that of the config
};
/// Selects the tensors of the tower with the most layers. Throws InputError, naming `source`, if no layer has q and k,
/// or if a layer number is greater than kMaxWeightLayer.
WeightDirectory make_directory(std::vector<WeightTensor> tensors, const std::string& source);

/// Opens a file of the directory by its index.
using OpenWeights = std::function<WeightBytes(std::size_t file)>;
/// Opens the tensors of one layer: norms and biases are read, matrices as they are used, from bytes that the result
/// keeps alive. Throws InputError if the layer has no q and k, if a shape does not fit heads and head_dim of the model
/// (names tensor and both), or if a norm or bias is not finite.
LayerWeights open_layer(const WeightDirectory& directory, int layer, const WeightModel& model, const OpenWeights& open);

}  // namespace ropescope
