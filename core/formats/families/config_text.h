// Language tower of a config: its place in the file, its kinds of layers with separate rotary embeddings, and a profile
// for each kind with notes on the rest of the config. Read config_parts.h first.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/config.h"
#include "core/formats/config_layout.h"
#include "core/formats/families/config_families.h"
#include "core/formats/families/config_parts.h"
#include "core/formats/json.h"

namespace ropescope {

/// The part of a file that a family describes.
template <class Family>
struct FamilySection {
  Section section;
  Family family;
  Message default_origin;  ///< "default of model_type llama"
};

/// The language tower of a file and the properties of its class.
struct TextTower : FamilySection<TextFamily> {
  bool known = true;
  bool nested = false;            ///< found by its rotary fields, not by a name for language models
  std::string relative = {};      ///< model_type of the file, if a known member of its family is used instead
  std::string contradicted = {};  ///< model_type of the file, if its architecture and fields contradict it
  std::optional<Read<std::string>> architecture = {};  ///< the class that replaces an unknown model_type
  std::optional<Section> root = {};                    ///< the whole file
  /// RoPE objects that are not in the file but that sections refer to: the default of the class, and a merged one.
  std::shared_ptr<const nlohmann::json> default_rope = {}, laid_over = {};
};

/// One kind of layers, with its own rotary embedding.
struct TextLayers {
  std::string name = kTextProfile;
  std::optional<RopeObject> rope;
  bool full = true;
  Spellings base_fields = spellings_of(FieldMeaning::base);  ///< for RoPE objects without the base
  bool base_in_rope = true;                                  ///< rope_theta of the RoPE object is this kind's base
  bool extended = true;
  bool latent = true;                ///< in a model with latent attention: the rotated channels are a separate part
  const char* head_field = nullptr;  ///< the field for the head of these layers, if there is one
  std::optional<Pairing> pairing;    ///< set if it differs from the class
  double default_base = 10000;
  std::optional<Read<double>> listed_base;      ///< from a list with one value per layer; overrides all others
  std::optional<Read<double>> listed_fraction;  ///< from a list, as listed_base
  Message::List notes;
  std::vector<int> numbers = {};  ///< these layers, counted from 0, out of `total`
  int total = 0;                  ///< 0 if all layers are of this kind, or if it is unknown
};

/// Finds the language tower of a file. Throws InputError if neither class nor fields show that it is rotary, or if its
/// class is known but not supported. Throws NoRotaryEmbedding if the class is not rotary or one of its switches turns
/// rotation off.
TextTower find_text_tower(const Section& root);

/// Throws NoRotaryEmbedding for a field that states that the model has none.
[[noreturn]] void throw_unrotated(const Section& section, const char* field, Instead instead);

/// Returns the kinds of layers of a tower, full attention first. A single one, called "text", if all layers agree.
std::vector<TextLayers> find_text_layers(TextTower& tower);

// --- Notes ---------------------------------------------------------------------------------------------------------

/// Returns the file's length (not the original one): the first of its spellings, else the default of the class.
std::optional<Read<double>> longest_of(const TextTower& tower);

/// Looks up the supported fields of the tower, whether or not they apply in this file, and those of the root that only
/// repeat them, as in files of Qwen2.5-VL.
void mark_understood(const TextTower& tower, const Section& root);

/// Appends notes: layers without rotary embedding, windows, contradicting lengths, M-RoPE sections.
void add_text_notes(const TextTower& tower, const TextLayers& layers, Profile& profile);

// --- Layer types ---------------------------------------------------------------------------------------------------

inline constexpr const char *kFullAttention = "full_attention", *kSlidingAttention = "sliding_attention",
                            *kLinearAttention = "linear_attention";

/// Kind and rotation of each layer, counted from 0.
struct LayerTypes {
  std::vector<std::string> types;  ///< kFullAttention, kSlidingAttention, "mamba", …; empty if unknown
  std::vector<bool> turned;        ///< has a rotary embedding; empty if the number of layers is unknown
  int interval = 0;                ///< one in this many layers is not rotated, and no list names it

  std::vector<int> unrotated() const;
  std::vector<int> of_type(std::string_view type) const;
};

/// Reads the layer types of a tower. Throws InputError if a list is malformed. Sources: huggingface/transformers 5.16
/// (layer_types of the configuration classes); for models outside it vllm-project/vllm of 22 August 2026.
LayerTypes read_layer_types(const TextTower& tower);

// --- Language towers -----------------------------------------------------------------------------------------------

/// Reads the profiles of the language tower, global layers before sliding ones. Throws InputError, which names file and
/// field, if nothing shows that it is rotary.
std::vector<Profile> read_text_tower(const Section& root);

}  // namespace ropescope
