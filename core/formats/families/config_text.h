// The language tower of a config: one profile for each kind of its layers (config_text_layers.h), with the notes on
// what the config says besides (config_text_notes.h).
#pragma once

#include <vector>

#include "core/formats/config.h"
#include "core/formats/json.h"

namespace ropescope {

/// Profiles of the language tower, global layers before sliding ones. Throws InputError, which names
/// file and field, where nothing says that it is rotary.
std::vector<Profile> read_text_tower(const Section& root);

}  // namespace ropescope
