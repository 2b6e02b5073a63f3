#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ropescope {

/// What a tensor of a dump is: the options of `check` that take one.
inline constexpr std::string_view kDumpRoles[] = {"positions", "ids",         "cos",    "sin",
                                                  "table",     "frequencies", "before", "after"};

/// What the "__metadata__" of a .safetensors says of its tensors, as assets/dump/ropescope_dump.py and
/// assets/dump/ropescope_dump.h write it.
struct DumpNotes {
  std::optional<std::string> config;  ///< "ropescope.config": the text of a config.json
  /// "ropescope.layout", and the object "ropescope.options": options of `check` without their dashes, and what they are
  /// given; of a list all of it.
  std::vector<std::pair<std::string, std::vector<std::string>>> options;
  /// "ropescope.roles": one of kDumpRoles, and the name of a tensor.
  std::vector<std::pair<std::string, std::string>> roles;
};

/// Reads them; what others say in their metadata does not matter. Throws InputError as read_safetensors_header does for
/// the header alone, and: a key that begins with "ropescope." and is none of these, a value that is no text, options or
/// roles that are no JSON object, a role that is unknown.
DumpNotes read_dump_notes(std::span<const std::byte> bytes, const std::string& source);

}  // namespace ropescope
