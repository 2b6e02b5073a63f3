// Kind of each layer of a language model and whether it is rotated, from lists in the file, else from the rule of its
// class. Read config_text_layers.h first: it defines a tower.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/families/config_text_layers.h"

namespace ropescope {

/// Kind and rotation of each layer, counted from 0.
struct LayerTypes {
  std::vector<std::string> types;  ///< "full_attention", "sliding_attention", "mamba", …; empty if unknown
  std::vector<bool> turned;        ///< has a rotary embedding; empty if the number of layers is unknown
  int interval = 0;                ///< one in this many layers is not rotated, and no list names it

  std::vector<int> unrotated() const;
  std::vector<int> of_type(std::string_view type) const;
};

/// Reads the layer types of a tower. Throws InputError if a list is malformed. Sources: huggingface/transformers 5.16
/// (layer_types of the configuration classes); for models outside it vllm-project/vllm of 22 August 2026.
LayerTypes read_layer_types(const TextTower& tower);

}  // namespace ropescope
