#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/formats/config_families.h"
#include "core/formats/config_rope.h"
#include "core/formats/json_reader.h"

namespace ropescope {

/// Where the base stands when the RoPE object does not have it.
inline constexpr const char* kTextBaseFields[] = {"rope_theta", "global_rope_theta", "rotary_emb_base", "theta"};

/// The language tower of a file and what is known about its class.
struct TextTower {
  Section section;
  TextFamily family;
  std::string default_origin;  ///< "default of model_type llama"
  bool known = true;
};

/// One kind of layers with a rotary embedding of its own.
struct TextLayers {
  std::string name = "text";
  std::optional<RopeObject> rope;
  bool full = true;
  Spellings base_fields = kTextBaseFields;
  bool base_in_rope = true;  ///< the RoPE object's rope_theta is this kind's base
  bool extended = true;
  double default_base = 10000;
};

/// The language tower of a file. Throws InputError where neither its class nor a field says that it is rotary.
TextTower find_text_tower(const Section& root);

/// The kinds of layers of a tower, those of full attention first. One of them, called "text", where all layers agree.
std::vector<TextLayers> find_text_layers(const TextTower& tower);

}  // namespace ropescope
