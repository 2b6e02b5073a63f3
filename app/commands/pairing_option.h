#pragma once

#include <string>

#include "core/rotary/spec.h"

namespace ropescope {

/// What --pairing takes and what commands print: "interleaved" or "half".
std::string pairing_word(Pairing pairing);
/// Throws InputError.
Pairing read_pairing(const std::string& text);

}  // namespace ropescope
