#include "app/resources/models.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "app/resources/files.h"
#include "app/resources/gguf_model.h"
#include "app/resources/mapped_file.h"
#include "app/resources/model_folder.h"
#include "app/resources/nearest.h"
#include "app/resources/reason.h"
#include "core/check/check.h"
#include "core/error.h"
#include "core/formats/json_reader.h"
#include "core/formats/model_index.h"

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
  if (error) throw InputError(folder.string(), "preset.no_folder", {{"why", reason(error.value())}});
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

std::optional<LayoutConfig> preset_layout(const std::filesystem::path& assets, const std::string& id) {
  const Preset preset = load_preset(assets, id);
  const std::string path = (assets / "models" / (id + ".json")).string();
  const nlohmann::json json = parse_json_object(read_file(path, kLargestJsonBytes), path);
  if (!json.contains("layout")) return std::nullopt;
  LayoutConfig config;
  config.layout = json.at("layout");
  config.family = preset.name;
  const Layout& layout = find_layout(config.layout);
  const std::vector<RotaryAxis>& axes = preset.profiles.front().spec.axes;
  // Only what the layout itself does not say.
  if (axes.front().base != layout.axes.front().base) config.request.base = axes.front().base;
  const auto is_default = [](const RotaryAxis& axis, const AxisDefault& own) {
    return axis.rotary_dim == own.rotary_dim;
  };
  const bool same = std::equal(axes.begin(), axes.end(), layout.axes.begin(), layout.axes.end(), is_default);
  if (same || axes.size() != layout.axes.size()) return config;
  for (const RotaryAxis& axis : axes) config.request.axis_dims.push_back(axis.rotary_dim);
  return config;
}

std::string profile_label(const Text& text, const std::string& name) {
  const std::string key = "profile." + name;
  return text.has(key) ? text[key] : name;
}

std::string short_name(const std::filesystem::path& path) {
  if (!path.has_filename() && path.has_parent_path() && path != path.parent_path()) {
    return short_name(path.parent_path());  // a folder with a slash at its end
  }
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  const std::filesystem::path folder = absolute.parent_path().filename();
  if (path.filename() != "config.json" || error || folder.empty()) return path.filename().string();
  return (folder / path.filename()).string();
}

namespace {

/// A damaged GGUF, which is not to be called bad JSON.
bool is_named_gguf_but_binary(const std::string& path, const std::string& content) {
  const std::size_t begin = content.find_first_not_of(" \t\r\n");
  return path.ends_with(".gguf") && begin != std::string::npos && content[begin] != '{';
}

/// Says whether the stored frequencies are those of the config; the file's own words win in the programs that read it.
void add_stored_frequencies(const StoredFrequencies& stored, Profile& profile) {
  LoadedTensor loaded = load_tensor(stored.file + ":" + stored.tensor);
  CheckInputs inputs;
  inputs.frequencies = std::move(loaded.tensor);
  bool same = false;
  std::string cause = "unknown";
  try {
    const CheckReport report = check(reference_from_rope(profile.spec), inputs);
    same = report.verdict == Verdict::agrees;
    if (!report.causes.empty()) cause = report.causes.front().name;
  } catch (const InputError&) {
    // Another number of them, or numbers that are none: others than those of the config.
  }
  loaded.file->check_unchanged();
  profile.notes.push_back({same ? "config_note.stored_frequencies" : "config_note.other_frequencies",
                           {{"tensor", stored.tensor}, {"file", stored.file}, {"cause", cause}}});
}

/// The side of a token in pixels by the pipeline's own VAE.
void take_vae(const std::string& vae, LayoutConfig& config) {
  const auto stride = vae_stride(read_file(vae, kLargestJsonBytes), vae);
  const Layout& layout = find_layout(config.layout);
  // A config with pixels of its own has told the VAE by its channels (Wan 2.2).
  if (!stride || *stride == layout.vae_factor || config.request.patch) return;
  if (takes(layout, "patch")) {
    config.request.patch = *stride * layout.patch;
    config.notes.push_back({"config_note.vae", {{"file", vae}, {"stride", *stride}, {"side", *stride * layout.patch}}});
  } else {
    config.notes.push_back(
        {"config_note.other_vae",
         {{"file", vae}, {"stride", *stride}, {"layout", layout.name}, {"counted", layout.vae_factor}}});
  }
}

}  // namespace

ModelConfig load_model_config(const std::filesystem::path& path) {
  const ModelFiles files = find_model_files(path.string());
  if (is_gguf(files.config)) return load_gguf_config(files.config);
  const std::string content = read_file(files.config, kLargestJsonBytes);
  if (is_named_gguf_but_binary(files.config, content)) throw InputError(files.config, "gguf.not_gguf", {});
  ModelConfig config = parse_model_config(content, files.config);
  if (files.frequencies) add_stored_frequencies(*files.frequencies, config.profiles.front());
  return config;
}

std::optional<LayoutConfig> load_layout_config(const std::filesystem::path& path) {
  const ModelFiles files = find_model_files(path.string());
  if (is_gguf(files.config)) return std::nullopt;
  auto config = find_layout_config(read_file(files.config, kLargestJsonBytes), files.config);
  if (config && files.vae) take_vae(*files.vae, *config);
  return config;
}

LayoutConfig require_layout_config(const std::filesystem::path& path) {
  if (auto config = load_layout_config(path)) return *std::move(config);
  const ModelFiles files = find_model_files(path.string());
  // One that is known and not supported says so.
  if (!is_gguf(files.config)) parse_layout_config(read_file(files.config, kLargestJsonBytes), files.config);
  throw InputError(path.string(), "config.no_layout", {});
}

bool is_experiment(const std::string& path) {
  try {
    return !is_folder(path) && read_file(path, kLargestJsonBytes).find("\"ropescope\"") != std::string::npos;
  } catch (const InputError&) {
    return false;  // whoever opens it says what is wrong
  }
}

}  // namespace ropescope
