// Language tower of a config: one profile for each kind of its layers (config_text_layers.h), with notes on the rest of
// the config (config_text_notes.h).
#pragma once

#include <vector>

#include "core/formats/config.h"
#include "core/formats/json.h"

namespace ropescope {

/// Reads the profiles of the language tower, global layers before sliding ones. Throws InputError, which names file and
/// field, if nothing shows that it is rotary.
std::vector<Profile> read_text_tower(const Section& root);

}  // namespace ropescope
