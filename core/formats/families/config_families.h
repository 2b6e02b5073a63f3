// Families of models by class and type: what the code of each does that its config does not say. config_text.h and
// config.h look a class up here.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "core/formats/json.h"
#include "core/rotary/spec.h"

namespace ropescope {

/// How one ladder is dealt to several position axes (M-RoPE), for the note: in contiguous sections of pairs; pair i to
/// row or column by i mod 3; rows and columns by turns, then time (ERNIE 4.5 VL); contiguous sections of the doubled
/// table, so that the two channels of a pair may belong to different axes (HunYuan's XD-RoPE as transformers has it).
enum class Dealt { contiguous, interleaved, alternating, doubled };

/// What a model without rotary embedding knows the order of its tokens by.
enum class Instead {
  nothing,   ///< its attention knows no positions
  hybrid,    ///< nor does this one's; other layers carry a state
  state,     ///< no attention at all
  learned,   ///< a vector for each position, added to the input
  sines,     ///< the same of sines and cosines
  relative,  ///< terms of relative positions within the scores
  buckets,   ///< a learned number for each range of distances, added to the scores
  alibi,     ///< a multiple of the distance, subtracted from the scores
  not_said,
};

/// A field that must have a value for the model to be rotary at all; the class's own default is another value.
struct RotarySwitch {
  const char* field = nullptr;
  const char* value = nullptr;  ///< a text, "true" or a number
  Instead instead = Instead::not_said;
};

/// Notes and reasons are keys of texts: "config_note.…" is a sentence, "config_why.…" ends one.

/// Which of every so many layers is the one of full attention; from_end: counted from the model's last layer.
enum class FullLayer { last, first, from_end };

/// What the code of a text model knows and its config.json leaves unsaid: the defaults of the class, one entry a
/// family. 0 or nullptr: the class has no such default. Source: the configuration and modeling classes of
/// huggingface/transformers 5.16 (pairing: what their rotation does with the channels); for models outside it, the
/// project's own code.
struct TextFamily {
  const char* model_type = "";
  Pairing pairing = Pairing::half_split;
  double base = 10000;
  double local_base = 0;       ///< base of sliding-window layers where they have a ladder of their own
  double compressed_base = 0;  ///< base of layers with compressed keys (DeepSeek-V4)
  double rotary_fraction = 1;
  int rotary_dim = 0;
  int mla_rotary_dim =
      0;  ///< qk_rope_head_dim: the rotated channels are a part of their own (multi-head latent attention)
  int head_dim = 0;
  int hidden_size = 0;
  int heads = 0;
  double length = 0;                      ///< max_position_embeddings
  double original_length = 0;             ///< original_max_position_embeddings
  int window = 0;                         ///< positions that a sliding layer sees
  int global_head_dim = 0;                ///< head_dim of full-attention layers where it differs
  int indexer_head_dim = 0;               ///< index_head_dim of sparse attention; 0: the class has no indexer
  bool indexer_adjacent = false;          ///< its pairs are neighbours where the file does not say
  bool extends_full_layers_only = false;  ///< sliding layers keep the plain ladder
  int unrotated_every = 0;                ///< every so many layers one has no rotary embedding
  int full_every = 0;  ///< every so many layers one is of full attention, where the file lists no kinds
  FullLayer full_layer = FullLayer::last;
  const char* others = "sliding_attention";  ///< the kind of the other layers
  double yarn_amplitude = 0;                 ///< attention factor of YaRN where the file gives none
  bool whole_head = false;         ///< Llama's rotary embedding: partial_rotary_factor is not read, all channels turn
  bool layer_types = false;        ///< of these, a class that has layer_types where the file has none
  bool rotary_dim_unread = false;  ///< rotary_dim counts, though transformers 5 reads partial_rotary_factor alone
  RotarySwitch needs{};
  Dealt dealt = Dealt::contiguous;
  std::array<int, 3> sections{};  ///< pairs of each axis where the file does not say
  const char* rope = nullptr;     ///< RoPE object of a file that has none, as JSON
  const char* section = nullptr;  ///< the object of the file that holds the tower
  const char* note = nullptr;
};

std::span<const TextFamily> all_text_families();
/// The entry of a model type; nullptr for one that nobody entered.
const TextFamily* find_text_family(std::string_view model_type);

/// The model_type of a class of `architectures` ("Qwen2MoeForCausalLM"); empty for one that nobody entered.
std::string_view type_of_architecture(std::string_view architecture);

/// A class without rotary embedding, whatever rotary fields its files have: model_type of a config and architecture of
/// a GGUF; empty where one of them does not exist or is another model.
struct UnrotatedClass {
  std::string_view model_type, architecture;
  Instead instead = Instead::not_said;
};
const UnrotatedClass* find_unrotated_type(std::string_view model_type);
const UnrotatedClass* find_unrotated_architecture(std::string_view architecture);

/// Ends a sentence: what a model has instead. `count`: of positions or of ranges of distances, where a field says it.
Words words_of(Instead instead, const std::optional<Read<int>>& count = {});

/// A rotary model whose frequencies or positions a RotarySpec cannot say.
struct RefusedFamily {
  const char* model_type = "";
  const char* why = "";
};

std::span<const RefusedFamily> all_refused_families();
const RefusedFamily* find_refused_family(std::string_view model_type);

/// How a vision tower deals its channels to the axes of the patch grid.
enum class VisionLayout {
  halves,       ///< half of the head for the first axis, half for the second, each with its own plain ladder
  alternating,  ///< one ladder over the head: even entries turn with the row, odd ones with the column (Pixtral)
  not_shown,    ///< no RotarySpec says what it does; the note does
};

struct VisionFamily {
  const char* model_type = "";
  VisionLayout layout = VisionLayout::halves;
  Pairing pairing = Pairing::half_split;
  const char* first_axis = "row";
  const char* second_axis = "column";
  double base = 10000;
  int hidden_size = 0;
  int heads = 0;
  const char* note = nullptr;
  int merge = 1;  ///< spatial_merge_size where the tower takes its patches in the order of the blocks that it merges
};

std::span<const VisionFamily> all_vision_families();
const VisionFamily* find_vision_family(std::string_view model_type);

/// How an image or video transformer gets the channels of its axes.
enum class ImageLayout {
  listed,       ///< a list in the file (six spellings) or the class default, one plain ladder each
  thirds,       ///< Wan: rows and columns 2·(head // 6) each, t the rest
  halves,       ///< CogView4: half of the head for rows, half for columns
  ladder,       ///< one ladder over the head (or its rotated part): sequences of sound, M-RoPE
  own_ladder,   ///< core/layouts knows it, but its frequencies are not plain ladders over its axes
  unsupported,  ///< recognised, and nothing more
};

struct ImageFamily {
  const char* class_name = "";  ///< _class_name of the file (model_type for DINOv3)
  const char* model = "";       ///< the name that people know
  ImageLayout layout = ImageLayout::listed;
  Pairing pairing = Pairing::interleaved;
  double base = 10000;
  int axes[4] = {0, 0, 0, 0};
  int head_dim = 0;            ///< of the class, where a file may leave it out
  double rotary_fraction = 1;  ///< ladder only
  const char* profile = "image";
  const char* note = nullptr;  ///< for an own ladder or an unsupported layout: what it does
};

const ImageFamily* find_image_family(std::string_view class_name);
/// Models that make images and videos, in the order of the table.
std::span<const ImageFamily> all_image_families();

}  // namespace ropescope
