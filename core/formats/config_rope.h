#pragma once

#include <optional>
#include <string>

#include "core/formats/json_reader.h"
#include "core/rotary/spec.h"

namespace ropescope {

/// The RoPE object of a tower (`rope_parameters`, else the older `rope_scaling`), as far as it names a method.
struct RopeObject {
  std::string type = "none";  ///< method name of Extension, or "proportional" (a ladder, not an extension)
  std::string origin;         ///< the field that named it; empty where there is no RoPE object
  std::optional<Section> section;
  Extension extension;  ///< method, numbers and lists as read; method "none" for a proportional ladder
  std::string note;     ///< what a reader must know about the object (M-RoPE sections); empty if nothing
};

/// Reads one set of RoPE parameters. `rope_type` is preferred to the older `type`; neither, "default" and "mrope" mean
/// none; "su" is longrope, "deepseek_yarn" is yarn; any other type is kept by its name. Numbers keep the names of
/// Extension. Throws InputError on a number or a list that is not one.
RopeObject read_rope_object(const Section& section);

}  // namespace ropescope
