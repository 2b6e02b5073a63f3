#pragma once

#include <string_view>

#include "core/rotary/spec.h"

namespace ropescope {

/// What the code of a text model knows and its config.json leaves unsaid: the defaults of the class, one line a family.
/// 0 or nullptr: the class has no such default. Source: SCHEMA section 6 (pairing) and the configuration classes of
/// huggingface/transformers; for models outside it, the project's own code.
struct TextFamily {
  const char* model_type = "";
  Pairing pairing = Pairing::half_split;
  double base = 10000;
  double local_base = 0;  ///< base of sliding-window layers where they have a ladder of their own
  double rotary_fraction = 1;
  int rotary_dim = 0;
  int mla_rotary_dim =
      0;  ///< qk_rope_head_dim: the rotated channels are a part of their own (multi-head latent attention)
  int head_dim = 0;
  int hidden_size = 0;
  int heads = 0;
  double length = 0;                      ///< max_position_embeddings
  bool extends_full_layers_only = false;  ///< sliding layers keep the plain ladder
  int unrotated_every = 0;                ///< every so many layers one has no rotary embedding
  const char* note = nullptr;
};

/// The entry of a model type; nullptr for one that nobody entered.
const TextFamily* find_text_family(std::string_view model_type);

/// How a vision tower deals its channels to the axes of the patch grid.
enum class VisionLayout {
  halves,       ///< half of the head for the first axis, half for the second, each with its own plain ladder
  alternating,  ///< one ladder over the head: even entries turn with the row, odd ones with the column (Pixtral)
  blocks,       ///< each axis pairs channels inside its own block: no RotarySpec says that (Gemma 4)
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
};

const VisionFamily* find_vision_family(std::string_view model_type);

/// How an image or video transformer gets the channels of its axes.
enum class ImageLayout {
  listed,       ///< a list in the file (six spellings) or the class default, one plain ladder each
  thirds,       ///< Wan: rows and columns 2·(head // 6) each, t the rest
  halves,       ///< CogView4: half of the head for rows, half for columns
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
  const char* profile = "image";
  const char* note = nullptr;  ///< for an own ladder or an unsupported layout: what it does
};

const ImageFamily* find_image_family(std::string_view class_name);

}  // namespace ropescope
