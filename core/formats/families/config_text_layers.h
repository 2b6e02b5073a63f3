// Where the language tower of a config is, and which kinds of layers with a rope of their own it has. Read
// config_parts.h first; config_text.h makes profiles of them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/config.h"
#include "core/formats/config_layout.h"
#include "core/formats/families/config_families.h"
#include "core/formats/families/config_parts.h"
#include "core/formats/json.h"

namespace ropescope {

/// The fields where the base stands when the RoPE object does not have it.
inline constexpr const char* kTextBaseFields[] = {
    "rope_theta",      "global_rope_theta",     "rope_global_theta",      "rope_theta_global",
    "rotary_emb_base", "rotary_embedding_base", "rope_embedding_base",    "rope_freq_constant",
    "theta",           "rotary_base",           "position_embedding_base"};
/// The lengths that files give, the one that a model was trained with first where a file has it.
inline constexpr const char* kLengthFields[] = {"max_trained_positions",
                                                "max_position_embeddings",
                                                "n_positions",
                                                "seq_length",
                                                "seq",
                                                "max_sequence_length",
                                                "max_seq_len",
                                                "max_context_length",
                                                "model_max_length",
                                                "context_window_size"};

/// The language tower of a file and what is known about its class.
struct TextTower {
  Section section;
  TextFamily family;
  Words default_origin;  ///< "default of model_type llama"
  bool known = true;
  bool nested = false;            ///< found by its rotary fields, not under a name that holds a language model
  std::string relative = {};      ///< the model_type of the file, where a known member of its family stands in for it
  std::string contradicted = {};  ///< the model_type of the file, where its architecture and fields say otherwise
  std::optional<Read<std::string>> architecture = {};  ///< the class that stands in for a model_type nobody entered
  std::optional<Section> root = {};                    ///< the whole file
  /// RoPE objects that are not the file's own, kept for the sections into them: the class's, one laid over another.
  std::shared_ptr<const nlohmann::json> default_rope = {}, laid_over = {};
};

/// One kind of layers with a rotary embedding of its own.
struct TextLayers {
  std::string name = "text";
  std::optional<RopeObject> rope;
  bool full = true;
  Spellings base_fields = kTextBaseFields;
  bool base_in_rope = true;  ///< the RoPE object's rope_theta is this kind's base
  bool extended = true;
  bool latent = true;                ///< of a model with latent attention: what turns is a part of its own
  const char* head_field = nullptr;  ///< where the head of these layers has a field of its own
  std::optional<Pairing> pairing;    ///< where it is not the class's
  double default_base = 10000;
  std::optional<Read<double>> listed_base;      ///< of a list for each layer, which overrides every other
  std::optional<Read<double>> listed_fraction;  ///< likewise
  Words::List notes;
  std::vector<int> numbers = {};  ///< these layers, counted from 0, of so many
  int total = 0;                  ///< 0 where all layers are of this kind, or nothing says which
};

/// The language tower of a file. Throws InputError where neither its class nor a field says that it is rotary and for a
/// class that is known and not supported; NotRotary for a class that is not, and where a switch of the class says so.
TextTower find_text_tower(const Section& root);

/// A field says that the model has no rotary embedding.
[[noreturn]] void throw_unrotated(const Section& section, const char* field, Instead instead);

/// The kinds of layers of a tower, those of full attention first. One of them, called "text", where all layers agree.
std::vector<TextLayers> find_text_layers(TextTower& tower);

}  // namespace ropescope
