#pragma once

#include <string>

#include "app/experiment/experiment.h"
#include "app/resources/text.h"
#include "core/formats/compare_models.h"

namespace ropescope {

// Sides of a comparison of models (core/formats/compare_models.h): for the command of that name and for the window.

/// What a config.json, a GGUF or a folder says: its layout, where it has one, and its rotary embeddings. Throws
/// InputError as load_model_config() and load_layout_config().
ModelSide file_side(const std::string& path);
/// Throws InputError where there is no preset of this id.
ModelSide preset_side(const std::string& id);
/// What is shown of a rope: the file or preset that it came from, all kinds of its layers, with the knobs in place of
/// the profile where they were moved; of a file that cannot be read any more, or of no file, the knobs alone. Throws
/// InputError as spec_of().
ModelSide rope_side(const RopeKnobs& rope);

/// Whether a rope that is called after a preset has other values than any profile of this name that it has.
bool is_changed(const RopeKnobs& rope);
/// The preset that it was, where it was changed.
std::optional<RopeKnobs> before_changes(const RopeKnobs& rope);
/// "Llama 3.1 8B", or "Llama 3.1 8B, changed"; empty for own values.
std::string rope_name(const RopeKnobs& rope, const Text& text);

/// What a reader of a comparison must know of the file itself: a class that was guessed, fields that
/// disagree or are not understood, inverse frequencies that are stored beside its config.
Words::List notes_of(const ModelSide& side);

/// How a rope turns, and nothing else: without what a person calls it, where it came from and which of its axes they
/// look at.
RopeKnobs turning(RopeKnobs knobs);

}  // namespace ropescope
