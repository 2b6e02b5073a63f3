// Rotary embeddings of a GGUF file, in the form of a config.json (config.h). Read gguf.h first.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/formats/config.h"
#include "core/formats/dumps/gguf.h"

namespace ropescope {

/// Reads the rotary embeddings of a GGUF as llama.cpp interprets it, in the form of a config.json: profiles of full and
/// of sliding attention if they differ, else one called "text". `parts`: all files of the model, the one with the
/// metadata first. model_type is general.architecture. Pairs are those of the channels in the file; if q and k were
/// reordered at conversion, the profile has a note and Profile::permuted. Throws InputError: parts in the wrong order
/// or number, an architecture without rotary embedding, an unknown one in a file without rotary values, a missing or
/// impossible head, a value of another type, and as extend_profile does. Source: llama.cpp llama-model.cpp
/// (load_hparams, llama_model_rope_type), models/*.cpp, conversion/llama.py.
ModelConfig parse_gguf_config(std::span<const GgufFile> parts);
/// Returns the layers without rotary embedding, counted from 0; empty if the file has no layer count. Throws InputError
/// as parse_gguf_config() does.
std::vector<int> find_unrotated_gguf_layers(std::span<const GgufFile> parts);

}  // namespace ropescope
