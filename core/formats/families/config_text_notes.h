// What a config of a language model says beside its profiles: layers that do not turn, windows, lengths that disagree.
// Read config_text_layers.h first: it says what a tower and its kinds of layers are.
#pragma once

#include <optional>
#include <vector>

#include "core/formats/families/config_text_layers.h"

namespace ropescope {

/// The file's own length (not the original one): the first of kLengthFields, else the class's.
std::optional<Read<double>> longest_of(const TextTower& tower);

/// Looks up the fields of the tower that are understood, whether or not they count in this file; and those of the root
/// that only repeat them, as files of Qwen2.5-VL do.
void mark_understood(const TextTower& tower, const Section& root);

/// Appends what a reader must know: layers without rotary embedding, windows, lengths that disagree, M-RoPE sections.
void add_text_notes(const TextTower& tower, const TextLayers& layers, Profile& profile);

}  // namespace ropescope
