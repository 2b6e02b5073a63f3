// What a GGUF file says of its rope, in the words of a config.json (config.h). Read gguf.h first.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/formats/config.h"
#include "core/formats/dumps/gguf.h"

namespace ropescope {

/// What a GGUF says about rotary embeddings, as llama.cpp takes it, in the same words as a config.json: profiles of
/// full and of sliding attention where they differ, else one called "text". `parts`: all files of the model, the one
/// with the metadata first. model_type is general.architecture. Pairs are those of the channels as they lie in the
/// file; where q and k were reordered at conversion the profile says so (Profile::permuted) and has a note. Throws
/// InputError: parts in another order or number than they say, an architecture without a rotary embedding, one that
/// nobody knows in a file without rotary values, a missing or impossible head, what extend_profile throws, and a value
/// of another type. Source: llama.cpp llama-model.cpp (load_hparams, llama_model_rope_type), models/*.cpp,
/// conversion/llama.py.
ModelConfig parse_gguf_config(std::span<const GgufFile> parts);

}  // namespace ropescope
