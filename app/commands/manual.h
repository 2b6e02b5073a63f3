// Completions of shells and the manual page, both made of what commands declare.
#pragma once

#include <string>

#include "core/formats/models.h"

namespace ropescope {

/// What a person gave as one side of a comparison.
struct Described {
  std::string name;  ///< as given
  ModelSide side;
};

/// A config.json, a folder with one, a saved experiment (its rope; its layout where it shows one) or a preset's id;
/// a file of that name comes before a preset. Throws InputError: none of these, and as their readers.
Described read_described(const std::string& argument);

}  // namespace ropescope
