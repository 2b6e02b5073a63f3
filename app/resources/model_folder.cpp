#include "app/resources/model_folder.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <vector>

#include "app/resources/files.h"
#include "app/resources/mapped_file.h"
#include "core/error.h"
#include "core/formats/json_reader.h"
#include "core/formats/model_index.h"
#include "core/formats/safetensors.h"

namespace ropescope {

namespace {

namespace fs = std::filesystem;

bool model_folder_is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string required(const fs::path& path, const fs::path& folder) {
  if (model_folder_is_there(path)) return path.string();
  throw InputError(folder.string(), "folder.part_missing", {{"file", fs::relative(path, folder).generic_string()}});
}

/// The first tensor of a .safetensors that holds inverse frequencies.
std::optional<StoredFrequencies> frequencies_in(const fs::path& file) {
  const auto mapped = map_file(file.string());
  for (const SafetensorsEntry& entry : read_safetensors_header(mapped->bytes(), file.string())) {
    if (is_inverse_frequencies(entry.name)) return StoredFrequencies{file.string(), entry.name};
  }
  return std::nullopt;
}

std::optional<StoredFrequencies> stored_frequencies(const fs::path& folder) {
  const fs::path index = folder / "model.safetensors.index.json", single = folder / "model.safetensors";
  if (!model_folder_is_there(index)) return model_folder_is_there(single) ? frequencies_in(single) : std::nullopt;
  const auto tensors = parse_weight_map(read_file(index, kLargestJsonBytes), index.string(), is_inverse_frequencies);
  if (tensors.empty()) return std::nullopt;
  const auto& [tensor, file] = *tensors.begin();
  return StoredFrequencies{required(folder / file, folder), tensor};
}

bool is_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// What all parts of one model are called: "model-00002-of-00004" is one of "model-of-00004".
std::string without_part(const std::string& stem) {
  constexpr std::size_t kDigits = 5, kTail = 15;  // "-00002-of-00004"
  if (stem.size() <= kTail) return stem;
  const std::string_view tail = std::string_view(stem).substr(stem.size() - kTail);
  const bool part = tail[0] == '-' && is_digits(tail.substr(1, kDigits)) && tail.substr(1 + kDigits, 4) == "-of-" &&
                    is_digits(tail.substr(kTail - kDigits));
  return part ? stem.substr(0, stem.size() - kTail) + stem.substr(stem.size() - kTail + 1 + kDigits) : stem;
}

/// The first file of each model of llama.cpp in the folder, by name. What projects images into one is no model.
std::vector<fs::path> gguf_models(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path& path = entry->path();
    if (path.extension() == ".gguf" && !path.filename().string().starts_with("mmproj")) files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  const auto same = [](const fs::path& a, const fs::path& b) {
    return without_part(a.stem().string()) == without_part(b.stem().string());
  };
  files.erase(std::unique(files.begin(), files.end(), same), files.end());
  return files;
}

/// A repository of GGUF files, where it has one model.
std::string gguf_file(const fs::path& folder) {
  const std::vector<fs::path> models = gguf_models(folder);
  if (models.empty()) throw InputError(folder.string(), "folder.no_config", {});
  if (models.size() == 1) return models.front().string();
  constexpr std::size_t kNamed = 6;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kNamed, models.size()); ++i) {
    names.push_back(models[i].filename().string());
  }
  throw InputError(folder.string(), "folder.several_ggufs", {{"count", models.size()}, {"files", one_of(names)}});
}

ModelFiles pipeline_files(const fs::path& folder, const fs::path& index) {
  const std::string part = pipeline_transformer(read_file(index, kLargestJsonBytes), index.string());
  ModelFiles files;
  files.config = required(folder / part / "config.json", folder);
  if (const fs::path vae = folder / "vae" / "config.json"; model_folder_is_there(vae)) files.vae = vae.string();
  return files;
}

}  // namespace

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_model_folder(const std::string& path) {
  if (!is_folder(path)) return false;
  const fs::path folder(path);
  return model_folder_is_there(folder / "config.json") || model_folder_is_there(folder / "model_index.json") ||
         gguf_models(folder).size() == 1;
}

ModelFiles find_model_files(const std::string& path) {
  if (!is_folder(path)) return {path, std::nullopt, std::nullopt};
  const fs::path folder(path);
  if (const fs::path index = folder / "model_index.json"; model_folder_is_there(index))
    return pipeline_files(folder, index);
  const fs::path config = folder / "config.json";
  if (!model_folder_is_there(config)) return {gguf_file(folder), std::nullopt, std::nullopt};
  return {config.string(), std::nullopt, stored_frequencies(folder)};
}

}  // namespace ropescope
