// Model families by class and type: behaviour of their code that their configs do not contain. config_text.h and
// config.h look a class up here.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "core/formats/config.h"
#include "core/formats/json.h"
#include "core/rotary/spec.h"

namespace ropescope {

/// Position encoding of a model without rotary embedding.
enum class Instead {
  nothing,   ///< attention without positions
  hybrid,    ///< attention without positions; other layers have a state
  state,     ///< no attention at all
  learned,   ///< a learned vector for each position, added to the input
  sines,     ///< a vector of sines and cosines for each position, added to the input
  relative,  ///< terms of relative positions in the scores
  buckets,   ///< a learned number for each range of distances, added to the scores
  alibi,     ///< a multiple of the distance, subtracted from the scores
  not_said,
};

/// A field that must have this value for the model to be rotary; the default of the class is another value.
struct RotarySwitch {
  const char* field = nullptr;
  const char* value = nullptr;  ///< a string, "true" or a number
  Instead instead = Instead::not_said;
};

/// Notes and reasons are keys of texts: "config_note.…" is a sentence, "config_why.…" ends one.

// Notes that are also the rule of a class, of a config or a GGUF, for which kinds of layers are rotated.
inline constexpr const char* kSlidingOnly = "config_note.sliding_only";
inline constexpr const char* kSlidingAndDense = "config_note.sliding_and_dense";
inline constexpr const char* kMixedOnly = "config_note.mixed_only";
inline constexpr const char* kFourthFromLast = "config_note.fourth_from_last";

/// The full-attention layer of each group; from_end: groups are counted from the model's last layer.
enum class FullLayer { last, first, from_end };

/// Size of the heads, for files that omit it. 0: the class has no default.
struct HeadSize {
  int hidden_size = 0, heads = 0, head_dim = 0;
};

/// Where the window of a sliding layer is: before a token; half before and half after it; only half of it, before it.
enum class WindowSides { back, both, half_back };

/// Code that only one class has.
enum class OwnCode {
  none,
  qwen,     ///< seq_length, use_dynamic_ntk
  nomic,    ///< rotary_scaling_factor
  minimax,  ///< rotary_dim, which has no effect
  ling_3,   ///< linear layers are not rotated; layers after the last whole group have full attention
  native,   ///< params.json of Meta, Mistral and DeepSeek
};

/// What the code of a text model's class defines, or what its config.json may omit. 0 or nullptr: the class has no such
/// default.
struct TextRules {
  Pairing pairing = Pairing::half_split;
  double base = 10000;
  double local_base = 0;       ///< base of sliding-window layers if they have a separate ladder
  double compressed_base = 0;  ///< base of layers with compressed keys (DeepSeek-V4)
  double rotary_fraction = 1;
  int rotary_dim = 0;
  int mla_rotary_dim = 0;  ///< qk_rope_head_dim: the rotated channels are a separate part (multi-head latent attention)
  double original_length = 0;             ///< original_max_position_embeddings
  int window = 0;                         ///< positions that a sliding layer attends to
  int global_head_dim = 0;                ///< head_dim of full-attention layers if it differs
  int indexer_head_dim = 0;               ///< index_head_dim of sparse attention; 0: the class has no indexer
  bool indexer_adjacent = false;          ///< the indexer's default pairing is adjacent channels
  bool extends_full_layers_only = false;  ///< sliding layers keep the plain ladder
  int unrotated_every = 0;                ///< one in this many layers has no rotary embedding
  int full_every = 0;                     ///< one in this many layers has full attention, if the file lists no kinds
  FullLayer full_layer = FullLayer::last;
  const char* others = "sliding_attention";  ///< the kind of the other layers
  double yarn_amplitude = 0;                 ///< attention factor of YaRN if the file has none
  bool yarn_is_longrope = false;             ///< "yarn" with two lists is longrope, as in early files of the class
  bool whole_head = false;         ///< Llama's rotary embedding: ignores partial_rotary_factor, rotates all channels
  bool layer_types = false;        ///< a whole_head class that has layer_types even if the file has none
  bool rotary_dim_unread = false;  ///< rotary_dim applies, although transformers 5 reads only partial_rotary_factor
  RotarySwitch needs{};
  PairAssignment assignment = PairAssignment::contiguous;
  std::array<int, 3> sections{};  ///< pairs of each axis if the file has none
  const char* rope = nullptr;     ///< RoPE object for files without one, as JSON
  const char* section = nullptr;  ///< the object in the file that contains the tower
  const char* note = nullptr;
  OwnCode own = OwnCode::none;
  WindowSides window_sides = WindowSides::back;
  bool lays_over_both = false;  ///< rope_scaling is merged into the parameters of full and of sliding layers
  bool extended_later = false;  ///< see take_pretrained_length()
};

/// A text model's class, one entry each. Source: the configuration and modeling classes of
/// huggingface/transformers 5.16 (pairing: the channels that their rotation combines); for models outside it, the
/// project's own code.
struct TextFamily {
  const char* model_type = "";
  HeadSize head{};
  double length = 0;  ///< max_position_embeddings
  TextRules rules{};
};

std::span<const TextFamily> all_text_families();
/// Returns the entry of a model type; nullptr if there is none.
const TextFamily* find_text_family(std::string_view model_type);

/// Returns the model_type of a class in `architectures` ("Qwen2MoeForCausalLM"); empty if the class is unknown.
std::string_view type_of_architecture(std::string_view architecture);

/// A class without rotary embedding, even if its files have rotary fields: model_type of a config and architecture of a
/// GGUF. Empty if one of them does not exist or is another model.
struct UnrotatedClass {
  std::string_view model_type, architecture;
  Instead instead = Instead::not_said;
};
const UnrotatedClass* find_unrotated_type(std::string_view model_type);
const UnrotatedClass* find_unrotated_architecture(std::string_view architecture);

/// Returns a sentence ending on a model's position encoding. `count`: positions or distance ranges, if in a field.
Message words_of(Instead instead, const std::optional<Read<int>>& count = {});

/// A rotary model whose frequencies or positions a RotarySpec cannot express.
struct RefusedFamily {
  const char* model_type = "";
  const char* why = "";
};

std::span<const RefusedFamily> all_refused_families();
const RefusedFamily* find_refused_family(std::string_view model_type);

/// How a vision tower assigns its channels to the axes of the patch grid.
enum class VisionLayout {
  halves,       ///< half of the head for the first axis, half for the second, each with a plain ladder
  alternating,  ///< one ladder over the head: even entries rotate by row, odd ones by column (Pixtral)
  not_shown,    ///< no RotarySpec can express it; the note describes it
};

struct VisionRules {
  VisionLayout layout = VisionLayout::halves;
  Pairing pairing = Pairing::half_split;
  double base = 10000;
  const char* first_axis = "row";
  const char* second_axis = "column";
  const char* note = nullptr;
  int merge = 1;  ///< spatial_merge_size, if patches are in the order of the merged blocks
};
struct VisionFamily {
  const char* model_type = "";
  HeadSize head{};
  VisionRules rules{};
};

std::span<const VisionFamily> all_vision_families();
const VisionFamily* find_vision_family(std::string_view model_type);

/// How an image or video transformer defines the channels of its axes.
enum class ImageLayout {
  listed,       ///< a list in the file (six spellings) or the class default, one plain ladder each
  thirds,       ///< Wan: rows and columns 2·(head // 6) each, t the remaining channels
  halves,       ///< CogView4: half of the head for rows, half for columns
  ladder,       ///< one ladder over the head (or its rotated part): audio sequences, M-RoPE
  own_ladder,   ///< core/layouts has it, but its frequencies are not plain ladders over its axes
  unsupported,  ///< recognised only
};

struct ImageRules {
  Pairing pairing = Pairing::interleaved;
  double base = 10000;
  int axes[4] = {0, 0, 0, 0};
  int head_dim = 0;            ///< default of the class if the file omits it
  double rotary_fraction = 1;  ///< ladder only
  const char* profile = "image";
  const char* note = nullptr;  ///< for own_ladder or unsupported: a description
};
struct ImageFamily {
  const char* class_name = "";  ///< _class_name of the file (model_type for DINOv3)
  const char* model = "";       ///< the model's common name
  ImageLayout layout = ImageLayout::listed;
  ImageRules rules{};
};

const ImageFamily* find_image_family(std::string_view class_name);
/// Returns the models that generate images and videos, in table order.
std::span<const ImageFamily> all_image_families();

}  // namespace ropescope
