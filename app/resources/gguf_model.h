#pragma once

#include <filesystem>

#include "core/formats/config.h"

namespace ropescope {

/// Whether a file begins as a GGUF does; false where it cannot be read.
bool is_gguf(const std::filesystem::path& path);

/// Reads a GGUF and the parts that belong to it, all mapped into memory: only their headers and the factors of the
/// rotary embedding are looked at, whatever the size. Any of the parts may be named. Throws InputError as
/// parse_gguf_config does, and: a part that is missing, a file that changes meanwhile.
ModelConfig load_gguf_config(const std::filesystem::path& path);

}  // namespace ropescope
