// Of which kind each layer of a language model is and whether it turns: by the lists of its file, else by the rule of
// its class. Read config_text_layers.h first: it says what a tower is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/families/config_text_layers.h"

namespace ropescope {

/// The layers of a model one by one, counted from 0.
struct LayerTypes {
  std::vector<std::string> types;  ///< "full_attention", "sliding_attention", "mamba", …; empty where nothing tells
  std::vector<bool> turned;        ///< has a rotary embedding; empty where nothing says how many layers there are
  int interval = 0;                ///< one in so many does not turn, and no list says which

  std::vector<int> unrotated() const;
  std::vector<int> of_type(std::string_view type) const;
};

/// Sources: the configuration classes of huggingface/transformers 5.16 (layer_types where a file has none), and for
/// models outside it vllm-project/vllm of 22 August 2026. Throws InputError where a list is none.
LayerTypes read_layer_types(const TextTower& tower);

}  // namespace ropescope
