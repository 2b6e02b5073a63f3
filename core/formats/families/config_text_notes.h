// Notes on a language model's config: layers without rotation, windows, contradicting lengths. Read
// config_text_layers.h first: it defines a tower and its kinds of layers.
#pragma once

#include <optional>
#include <vector>

#include "core/formats/families/config_text_layers.h"

namespace ropescope {

/// Returns the file's length (not the original one): the first of kLengthFields, else the default of the class.
std::optional<Read<double>> longest_of(const TextTower& tower);

/// Looks up the supported fields of the tower, whether or not they apply in this file, and those of the root that only
/// repeat them, as in files of Qwen2.5-VL.
void mark_understood(const TextTower& tower, const Section& root);

/// Appends notes: layers without rotary embedding, windows, contradicting lengths, M-RoPE sections.
void add_text_notes(const TextTower& tower, const TextLayers& layers, Profile& profile);

}  // namespace ropescope
