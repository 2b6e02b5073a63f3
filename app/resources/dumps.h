#pragma once

#include <string>

#include "core/formats/attention_dump.h"

namespace ropescope {

/// Reads a .npz or .npy of q, k and perhaps v (core/formats/attention_dump.h). Throws InputError that names the file.
AttentionDump load_attention_dump(const std::string& path);

}  // namespace ropescope
