#include "app/resources/models.h"

#include <algorithm>
#include <cctype>

#include "app/resources/files.h"
#include "app/resources/nearest.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

/// Files of assets/models that hold a preset, sorted by name.
std::vector<std::filesystem::path> preset_files(const std::filesystem::path& assets) {
  const std::filesystem::path folder = assets / "models";
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  }
  if (error) throw InputError(folder.string(), "preset.no_folder", {{"why", error.message()}});
  std::sort(files.begin(), files.end());
  return files;
}

Preset read_preset(const std::filesystem::path& path) {
  const std::string content = read_file(path, kLargestJsonBytes);
  try {
    return parse_preset(content, path.stem().string());
  } catch (const InputError& error) {
    throw InputError::within(path.string(), error);
  }
}

}  // namespace

std::vector<Preset> load_presets(const std::filesystem::path& assets) {
  std::vector<Preset> presets;
  for (const std::filesystem::path& path : preset_files(assets)) presets.push_back(read_preset(path));
  // As people look for them: "gpt-oss" stands among the G's.
  std::stable_sort(presets.begin(), presets.end(), [](const Preset& a, const Preset& b) {
    return std::lexicographical_compare(
        a.name.begin(), a.name.end(), b.name.begin(), b.name.end(),
        [](unsigned char x, unsigned char y) { return std::tolower(x) < std::tolower(y); });
  });
  return presets;
}

Preset load_preset(const std::filesystem::path& assets, const std::string& id) {
  std::vector<std::string> ids;
  for (const std::filesystem::path& path : preset_files(assets)) {
    ids.push_back(path.stem().string());
    if (ids.back() == id) return read_preset(path);
  }
  const std::vector<std::string> near = nearest_words(id, ids);
  if (near.empty()) throw InputError("preset.unknown", {{"id", id}});
  throw InputError("preset.unknown_near", {{"id", id}, {"near", one_of(near)}});
}

std::string profile_label(const Text& text, const std::string& name) {
  const std::string key = "profile." + name;
  return text.has(key) ? text[key] : name;
}

std::string short_name(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  const std::filesystem::path folder = absolute.parent_path().filename();
  if (path.filename() != "config.json" || error || folder.empty()) return path.filename().string();
  return (folder / path.filename()).string();
}

ModelConfig load_model_config(const std::filesystem::path& path) {
  return parse_model_config(read_file(path, kLargestJsonBytes), path.string());
}

}  // namespace ropescope
