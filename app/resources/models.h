#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/resources/text.h"
#include "core/formats/config.h"
#include "core/formats/config_layout.h"

namespace ropescope {

/// The presets of assets/models, found by listing the folder, sorted by name.
std::vector<Preset> load_presets(const std::filesystem::path& assets);
/// Throws InputError that names the nearest ids where there is none.
Preset load_preset(const std::filesystem::path& assets, const std::string& id);
/// The layout of an image or video model's tokens, by its name; none for other models. Throws InputError as
/// load_preset().
std::optional<LayoutConfig> preset_layout(const std::filesystem::path& assets, const std::string& id);
/// What a profile of a config is called: "full attention" in the present language; a name that the texts do not know as
/// it is.
std::string profile_label(const Text& text, const std::string& name);
/// The name of a file as it is shown: half the world's models are called config.json, so those carry their folder.
std::string short_name(const std::filesystem::path& path);

// A model is given by a path: a config.json, a GGUF with its parts (app/resources/gguf_model.h; told apart by how they
// begin), or a folder with one (app/resources/model_folder.h).

/// What it says about rotary embeddings. Inverse frequencies stored in a snapshot's weights are compared with the
/// first profile: a note says whether they are the same. Throws InputError.
ModelConfig load_model_config(const std::filesystem::path& path);
/// What it says about the layout of an image or video model; none where it is another kind of model. The pixels per
/// token are those of a pipeline's own VAE. Throws InputError.
std::optional<LayoutConfig> load_layout_config(const std::filesystem::path& path);
/// The same; throws InputError for a model without an image layout, too.
LayoutConfig require_layout_config(const std::filesystem::path& path);
/// Whether a file is an experiment that was saved, not a config; false where it cannot be read.
bool is_experiment(const std::string& path);

}  // namespace ropescope
