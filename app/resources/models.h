#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/resources/text.h"
#include "core/formats/config.h"

namespace ropescope {

/// The presets of assets/models, found by listing the folder, sorted by name.
std::vector<Preset> load_presets(const std::filesystem::path& assets);
/// Throws InputError that names the nearest ids where there is none.
Preset load_preset(const std::filesystem::path& assets, const std::string& id);
/// What a profile of a config is called: "full attention" in the present language; a name that the texts do not know as
/// it is.
std::string profile_label(const Text& text, const std::string& name);
/// The name of a file as it is shown: half the world's models are called config.json, so those carry their folder.
std::string short_name(const std::filesystem::path& path);
/// Reads and parses a config.json. Throws InputError.
ModelConfig load_model_config(const std::filesystem::path& path);

}  // namespace ropescope
