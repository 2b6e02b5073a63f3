#pragma once

#include <span>

#include "core/formats/gguf.h"

namespace ropescope {

/// Throws InputError where these are not all files of one model in their order: another split.no or split.count than
/// its place asks for, files missing, another number of tensors than split.tensors.count.
void check_parts(std::span<const GgufFile> parts);

}  // namespace ropescope
