// Checkpoint files of a model. Read weights.h first.

#include "app/resources/weights.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "app/resources/models.h"
#include "core/formats/json.h"
#include "core/formats/tensor_file.h"
#include "core/message.h"

namespace ropescope {

namespace {

namespace fs = std::filesystem;

bool has_file(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

constexpr const char* kIndexes[] = {"model.safetensors.index.json", "pytorch_model.bin.index.json"};
constexpr const char* kCheckpoints[] = {"model.safetensors", "consolidated.safetensors", "pytorch_model.bin",
                                        "consolidated.00.pth"};

/// Returns the checkpoint, index or GGUF of a folder.
fs::path find_checkpoint(const fs::path& folder) {
  for (const char* name : kIndexes) {
    if (has_file(folder / name)) return folder / name;
  }
  for (const char* name : kCheckpoints) {
    if (has_file(folder / name)) return folder / name;
  }
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (has_extension(entry->path(), kSafetensorsExtension)) found.push_back(entry->path());
  }
  if (found.size() == 1) return found.front();
  const std::string gguf = is_model_folder(folder.string()) ? find_model_files(folder.string()).config : "";
  if (!gguf.empty() && is_gguf(gguf)) return gguf;
  throw InputError(folder.string(), "weights.no_checkpoint", {});
}

/// The files of a checkpoint, and the tensors of the attention that its index lists for each.
struct CheckpointFiles {
  std::vector<std::string> paths;
  std::map<std::string, std::vector<std::string>> listed = {};
};

CheckpointFiles shards_of(const fs::path& index) {
  const auto wanted = [](std::string_view tensor) { return match_weight(tensor).has_value(); };
  CheckpointFiles files;
  const auto tensors = parse_weight_map(read_file(index, kLargestJsonBytes), index.string(), wanted);
  for (const auto& [tensor, file] : tensors) {
    const fs::path shard = index.parent_path() / file;
    if (!has_file(shard)) {
      throw InputError(index.string(), "weights.no_shard", {{"file", file}, {"tensor", in_quotes(tensor)}});
    }
    files.listed[shard.string()].push_back(tensor);
  }
  if (files.listed.empty()) throw InputError(index.string(), "weights.no_tensors", {});
  for (const auto& [shard, names] : files.listed) files.paths.push_back(shard);
  return files;
}

/// Throws InputError in the page if the files are larger than its memory can hold.
void require_memory(const std::string& name, const std::vector<std::string>& paths) {
  constexpr bool kInPage = sizeof(void*) < sizeof(std::uint64_t);
  constexpr std::uintmax_t kMax = std::uintmax_t{1} << 30;
  std::uintmax_t bytes = 0;
  for (const std::string& path : paths) bytes += stamp_of(path).size;
  if (kInPage && bytes > kMax) throw InputError(name, "weights.too_large", {{"bytes", bytes}, {"most", kMax}});
}

WeightBytes bytes_of(const std::shared_ptr<const MappedFile>& file, const std::string& path) {
  return {file->bytes(), file, path};
}

/// Reads all headers of a GGUF in parts, for its metadata.
WeightModel read_gguf_model(const std::vector<std::string>& paths) {
  std::vector<std::shared_ptr<const MappedFile>> files;
  std::vector<GgufFile> parts;
  for (const std::string& path : paths) {
    files.push_back(map_file(path));
    parts.push_back(read_gguf(files.back()->bytes(), path));
  }
  return parse_weight_model(parts);
}

WeightModel read_weight_model(const WeightsName& named, const fs::path& checkpoint,
                              const std::vector<std::string>& files) {
  std::string config = named.config;
  if (config.empty() && is_gguf(files.front())) return read_gguf_model(files);
  if (config.empty()) {
    if (const fs::path beside = checkpoint.parent_path() / "config.json"; has_file(beside)) config = beside.string();
  } else {
    config = find_model_files(config).config;
  }
  if (!config.empty()) return parse_weight_model(read_file(config, kLargestJsonBytes), config);
  const auto file = map_file(files.front());
  if (auto model = find_weight_model(bytes_of(file, files.front()))) return *std::move(model);
  throw InputError(named.path, "weights.no_config", {});
}

/// Returns the shards of an index, the parts of a GGUF, or the file itself.
CheckpointFiles checkpoint_files(const fs::path& checkpoint) {
  if (has_extension(checkpoint, kJsonExtension)) return shards_of(checkpoint);
  if (!is_gguf(checkpoint)) return {{checkpoint.string()}};
  const auto file = map_file(checkpoint.string());
  std::vector<std::string> paths = gguf_parts(read_gguf(file->bytes(), checkpoint.string()), checkpoint.string());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (has_file(paths[i])) continue;
    throw InputError(checkpoint.string(), "gguf.part_missing",
                     {{"number", i + 1}, {"count", paths.size()}, {"path", paths[i]}});
  }
  return {paths};
}

/// Throws InputError if a shard lacks a tensor that the index lists for it.
void require_listed(const std::vector<std::string>& listed, const std::vector<WeightTensor>& found,
                    const std::string& path) {
  for (const std::string& name : listed) {
    if (std::ranges::find(found, name, &WeightTensor::name) != found.end()) continue;
    throw InputError(path, "weights.not_in_shard", {{"tensor", in_quotes(name)}});
  }
}

/// Adds the files of a folder that can belong to a model.
void add_model_files(const fs::path& folder, std::set<std::string>& paths) {
  constexpr std::string_view kEndings[] = {".safetensors", ".gguf", ".pt", ".pth", ".bin", ".json"};
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (std::ranges::count(kEndings, entry->path().extension().string()) > 0) paths.insert(entry->path().string());
  }
}

}  // namespace

void LoadedLayer::check_unchanged() const {
  for (const auto& file : files) file->check_unchanged();
}

LoadedLayer LoadedWeights::open(int layer) const {
  LoadedLayer loaded;
  const auto open_file = [&](std::size_t index) {
    const FileStamp& stamp = files[index];
    if (stamp_of(stamp.path) != stamp) throw InputError(stamp.path, "file.changed", {});
    loaded.files.push_back(map_file(stamp.path));
    return bytes_of(loaded.files.back(), stamp.path);
  };
  loaded.weights = open_layer(directory, layer, model, open_file);
  loaded.rope = rope_of(model, layer, directory.pairing);
  return loaded;
}

LoadedWeights load_weights(const WeightsName& named) {
  if (named.path.empty()) throw InputError("file.no_name_to_read", {});
  const NamedModel resolved = resolve_model(named.path, "");
  if (!resolved.exists) throw InputError(named.path, "file.missing", {});
  if (resolved.preset) throw InputError(named.path, "weights.no_checkpoint", {});
  fs::path checkpoint = resolved.path;
  if (checkpoint.filename() == kConfigFile) checkpoint = checkpoint.parent_path();
  if (checkpoint.empty() || is_folder(checkpoint.string())) checkpoint = find_checkpoint(checkpoint);
  const CheckpointFiles files = checkpoint_files(checkpoint);
  require_memory(named.path, files.paths);
  LoadedWeights weights;
  weights.name = named.path;
  std::vector<WeightTensor> tensors;
  for (const std::string& path : files.paths) {
    weights.files.push_back(stamp_of(path));
    const auto file = map_file(path);
    std::vector<WeightTensor> found = list_weights(bytes_of(file, path), weights.files.size() - 1);
    if (const auto listed = files.listed.find(path); listed != files.listed.end()) {
      require_listed(listed->second, found, path);
    }
    std::ranges::move(found, std::back_inserter(tensors));
    file->check_unchanged();
  }
  weights.directory = make_directory(std::move(tensors), named.path);
  weights.model = read_weight_model(named, checkpoint, files.paths);
  return weights;
}

std::optional<WeightsLayer> read_layer(const LoadedWeights& weights, int layer, const Work& work) {
  const LoadedLayer loaded = weights.open(layer);
  const LayerNorms norms = row_norms(loaded.weights, work);
  loaded.check_unchanged();
  if (work.stopped()) return std::nullopt;
  WeightsLayer read{layer, loaded.rope, pair_norms(norms, loaded.rope), {}, loaded.weights.key.heads.size()};
  if (!weights.model.decays) read.contents = weight_contents(loaded.weights, loaded.rope);
  return read;
}

HeadContent head_content(const LoadedWeights& weights, int layer, double head) {
  const LoadedLayer loaded = weights.open(layer);
  const auto place = std::min(static_cast<std::size_t>(head), loaded.weights.query.heads.size()) - 1;
  auto content = weights.model.decays ? std::nullopt : weight_content(loaded.weights, loaded.rope, place);
  loaded.check_unchanged();
  const int found = static_cast<int>(place) + 1;
  if (!content) throw InputError(weights.name, "weights.no_content", {{"layer", layer}, {"head", found}});
  return {*std::move(content), loaded.rope, layer, found};
}

std::vector<FileStamp> files_of_weights(const WeightsName& named) {
  fs::path path = named.path;
  try {
    path = resolve_model(named.path).path;
  } catch (const InputError&) {
    // The name of a repository that is not in the cache.
  }
  std::set<std::string> paths = {path.string(), (path.parent_path() / "config.json").string()};
  const bool split = has_extension(path, kGgufExtension) && path.stem().string().find("-of-") != std::string::npos;
  if (is_folder(path.string())) {
    add_model_files(path, paths);
  } else if (split || has_extension(path, kJsonExtension)) {
    add_model_files(path.parent_path(), paths);
  }
  if (!named.config.empty()) {
    paths.insert(is_folder(named.config) ? (fs::path(named.config) / "config.json").string() : named.config);
  }
  std::vector<FileStamp> stamps;
  for (const std::string& file : paths) stamps.push_back(stamp_of(file));
  return stamps;
}

}  // namespace ropescope
