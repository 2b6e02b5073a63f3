#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/formats/json_reader.h"
#include "core/rotary/spec.h"

namespace ropescope {

/// The RoPE object of a tower (`rope_parameters`, else the older `rope_scaling`), as far as it names a method.
struct RopeObject {
  std::string type = "none";  ///< method name of Extension
  Words origin;               ///< the field that named it; empty where there is no RoPE object
  std::optional<Section> section;
  Extension extension;                              ///< method, with its numbers and lists as read
  std::optional<Read<double>> trained_length = {};  ///< where no field of the object has it
  Words::List notes;           ///< what a reader must know about the object: keys that are not understood
  Words::List not_understood;  ///< those of them that may ask for other frequencies
};

/// Reads one set of RoPE parameters. `rope_type` is preferred to the older `type`; neither, "default" and "mrope" mean
/// none; "su" and a "yarn" with two lists (Phi-3) are longrope, "ntk" is ntk-aware, "deepseek_yarn" is yarn, "xdrope"
/// and "dynamic" with an alpha are ntk-alpha ("xdrope" without an alpha is dynamic, as transformers reads it). Of the
/// numbers and lists those that the method has are kept, under the names of Extension. Throws InputError on a type that
/// nobody knows, and on a number or a list that is not one. A key that is not understood gets a note.
RopeObject read_rope_object(const Section& section);

}  // namespace ropescope
