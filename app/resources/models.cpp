// Finding and loading of models and dumps by name or path, and writing of trained ones.
//
// Contents: Kinds of files; Profiles; GGUF; Folders; Models; Hugging Face cache; Trained; Reported; Examples; Dumps.

#include "app/resources/models.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "app/resources/files.h"
#include "app/resources/places.h"
#include "app/resources/system.h"
#include "app/resources/text.h"
#include "core/check/check.h"
#include "core/formats/families/gguf_config.h"
#include "core/formats/json.h"
#include "core/formats/nlohmann.h"
#include "core/formats/tensor_file.h"
#include "core/formats/weights.h"
#include "core/machine.h"
#include "core/message.h"

namespace ropescope {

// --- Kinds of files ------------------------------------------------------------------------------------------------

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLooked = 4096;  ///< bytes

std::string lower_extension(const std::filesystem::path& path) {
  std::string text = path.extension().string();
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Returns whether a word ends like a file's name: ".json", but not "3.1" or "v0.3-8b".
bool ends_like_file(const std::string& word) {
  const std::string ending = lower_extension(word);
  return !ending.empty() &&
         std::all_of(ending.begin() + 1, ending.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Returns the entries of a folder in any order; sets `error` if it cannot be listed.
std::vector<fs::path> entries_of(const fs::path& folder, std::error_code& error) {
  std::vector<fs::path> entries;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    entries.push_back(entry->path());
  }
  return entries;
}
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code ignored;
  return entries_of(folder, ignored);
}

// --- GGUF ----------------------------------------------------------------------------------------------------------

using Mapped = std::shared_ptr<const MappedFile>;

/// Maps part `number` of `count` of the model that `asked` belongs to.
Mapped map_part(const std::string& path, const std::string& asked, std::size_t number, std::size_t count) {
  if (is_there(path)) return map_file(path);
  throw InputError(asked, "gguf.part_missing", {{"number", number}, {"count", count}, {"path", path}});
}

// --- Folders -------------------------------------------------------------------------------------------------------

std::string require_file(const fs::path& path, const fs::path& folder) {
  if (is_there(path)) return path.string();
  throw InputError(folder.string(), "folder.part_missing",
                   {{"file", path.lexically_relative(folder).generic_string()}});
}

/// Returns the first tensor of inverse frequencies in a .safetensors.
std::optional<StoredFrequencies> frequencies_in(const fs::path& file) {
  const auto mapped = map_file(file.string());
  for (const SafetensorsEntry& entry : read_safetensors_header(mapped->bytes(), file.string())) {
    if (is_inverse_frequencies(entry.name)) return StoredFrequencies{file.string(), entry.name};
  }
  return std::nullopt;
}

std::optional<StoredFrequencies> stored_frequencies(const fs::path& folder) {
  const fs::path index = folder / "model.safetensors.index.json", single = folder / "model.safetensors";
  if (!is_there(index)) return is_there(single) ? frequencies_in(single) : std::nullopt;
  const auto tensors = parse_weight_map(read_file(index, kLargestJsonBytes), index.string(), is_inverse_frequencies);
  if (tensors.empty()) return std::nullopt;
  const auto& [tensor, file] = *tensors.begin();
  return StoredFrequencies{require_file(folder / file, folder), tensor};
}

bool is_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// Returns the common name of all parts of a model: "model-00002-of-00004" is one of "model-of-00004".
std::string remove_part_number(const std::string& stem) {
  constexpr std::size_t kDigits = 5, kTail = 15;  // "-00002-of-00004"
  if (stem.size() <= kTail) return stem;
  const std::string_view tail = std::string_view(stem).substr(stem.size() - kTail);
  const bool part = tail[0] == '-' && is_digits(tail.substr(1, kDigits)) &&
                    tail.substr(1 + kDigits).starts_with("-of-") && is_digits(tail.substr(kTail - kDigits));
  return part ? stem.substr(0, stem.size() - kTail) + stem.substr(stem.size() - kTail + 1 + kDigits) : stem;
}

/// Returns the first file of each llama.cpp model in the folder, by name. Image projectors are not models.
std::vector<fs::path> gguf_models(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::path& path : entries_of(folder)) {
    if (has_extension(path, kGgufExtension) && is_there(path) && !path.filename().string().starts_with("mmproj"))
      files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  const auto same = [](const fs::path& a, const fs::path& b) {
    return remove_part_number(a.stem().string()) == remove_part_number(b.stem().string());
  };
  files.erase(std::unique(files.begin(), files.end(), same), files.end());
  return files;
}

/// Returns the file of a GGUF repository, if it has one model.
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
  files.config = require_file(folder / part / "config.json", folder);
  if (const fs::path vae = folder / "vae" / "config.json"; is_there(vae)) files.vae = vae.string();
  return files;
}

// --- Models --------------------------------------------------------------------------------------------------------

/// Returns the preset files of assets/models, sorted by name.
std::vector<std::filesystem::path> preset_files(const std::filesystem::path& assets) {
  const std::filesystem::path folder = assets / "models";
  std::error_code error;
  std::vector<fs::path> files = entries_of(folder, error);
  std::erase_if(files, [](const fs::path& path) { return !has_extension(path, kJsonExtension); });
  if (error) throw InputError(folder.string(), "preset.no_folder", {{"why", reason(error.value())}});
  std::sort(files.begin(), files.end());
  return files;
}

Preset preset_of(const std::string& content, const fs::path& path) {
  try {
    return parse_preset(content, path.stem().string());
  } catch (const InputError& error) {
    throw InputError::within(path.string(), error);
  }
}

Preset read_preset(const fs::path& path) {
  return preset_of(read_file(path, kLargestJsonBytes), path);
}

/// Returns the ids of presets that are similar to a word.
std::vector<std::string> similar_presets(const fs::path& assets, const std::string& word) {
  std::vector<std::string> ids;
  for (const fs::path& path : preset_files(assets)) ids.push_back(path.stem().string());
  return nearest_words(word, ids);
}

/// Returns whether a file is a damaged GGUF, which must not be reported as bad JSON.
bool is_named_gguf_but_binary(const std::string& path, const std::string& content) {
  const std::size_t begin = content.find_first_not_of(" \t\r\n");
  return path.ends_with(".gguf") && begin != std::string::npos && content[begin] != '{';
}

/// Notes whether the stored frequencies agree with the config, which takes precedence in programs that read both.
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
    // A different count of them, or values that are not numbers: they differ from those of the config.
  }
  loaded.file->check_unchanged();
  profile.notes.push_back({same ? "config_note.stored_frequencies" : "config_note.other_frequencies",
                           {{"tensor", stored.tensor}, {"file", stored.file}, {"cause", cause}}});
}

/// Sets the side of a token in pixels from the pipeline's own VAE.
void take_vae(const std::string& vae, LayoutConfig& config) {
  const auto stride = vae_stride(read_file(vae, kLargestJsonBytes), vae);
  const Layout& layout = find_layout(config.layout);
  // A config with its own pixels identifies the VAE by its channels (Wan 2.2).
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

/// Returns whether a JSON object is a preset: a config.json has no profiles.
bool is_preset(const std::string& content, const std::string& path) {
  return content.find("\"profiles\"") != std::string::npos && parse_json_object(content, path).contains("profiles");
}

std::optional<LayoutConfig> layout_of_preset(const std::string& content, const std::string& path) {
  const Preset preset = preset_of(content, path);
  const nlohmann::json json = parse_json_object(content, path);
  if (!json.contains("layout")) return std::nullopt;
  LayoutConfig config;
  config.layout = json.at("layout");
  config.family = preset.name;
  if (json.contains("tokens_per_second")) config.request.tokens_per_second = json.at("tokens_per_second");
  const Layout& layout = find_layout(config.layout);
  const std::vector<RotaryAxis>& axes = preset.profiles.front().spec.axes;
  // Only if the layout itself does not define it.
  if (axes.front().base != layout.axes.front().base) config.request.base = axes.front().base;
  const auto is_default = [](const RotaryAxis& axis, const AxisDefault& own) {
    return axis.rotary_dim == own.rotary_dim;
  };
  const bool same = std::equal(axes.begin(), axes.end(), layout.axes.begin(), layout.axes.end(), is_default);
  if (same || axes.size() != layout.axes.size()) return config;
  for (const RotaryAxis& axis : axes) config.request.axis_dims.push_back(axis.rotary_dim);
  return config;
}

// --- Hugging Face cache --------------------------------------------------------------------------------------------

constexpr std::string_view kModels = "models--";

/// Returns the folder of the Hugging Face cache, by the environment variables that huggingface_hub reads; empty if they
/// are not set and there is no home folder.
fs::path hub_folder() {
  const auto named = [](const char* variable) {
    const fs::path path = os::environment_path(variable);
    const auto rest = std::next(path.begin(), path.empty() ? 0 : 1);
    if (path.empty() || *path.begin() != "~") return path;
    return std::accumulate(rest, path.end(), os::home_folder(), std::divides<>());
  };
  for (const char* variable : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
    if (fs::path cache = named(variable); !cache.empty()) return cache;
  }
  if (const fs::path home = named("HF_HOME"); !home.empty()) return home / "hub";
  fs::path cache = os::environment_path("XDG_CACHE_HOME");
  if (cache.empty()) {
    const fs::path home = os::home_folder();
    if (home.empty()) return {};
    cache = home / ".cache";
  }
  return cache / "huggingface" / "hub";
}

/// Returns whether a word has the form OWNER/NAME without a file extension ("Qwen2.5" has none).
bool is_repository(const std::string& word) {
  const std::size_t slash = word.find('/');
  const auto is_part = [](std::string_view part) {
    return !part.empty() && part.front() != '.' && part.front() != '-' && part.front() != '~' &&
           std::all_of(part.begin(), part.end(), [](unsigned char c) {
             return c < 0x80 && (std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.');
           });
  };
  if (slash == std::string::npos || !is_part(word.substr(0, slash)) || !is_part(word.substr(slash + 1))) return false;
  return !ends_like_file(word);
}

fs::path repository_folder(const std::string& repository) {
  const std::size_t slash = repository.find('/');
  return hub_folder() / (std::string(kModels) + repository.substr(0, slash) + "--" + repository.substr(slash + 1));
}

/// Returns whether a folder has a model. After an interrupted download, links in a snapshot point nowhere: no model.
bool has_model(const fs::path& folder) {
  return is_model_folder(folder.string()) || !gguf_models(folder).empty();
}

/// Returns the snapshot of a cached repository: that of refs/main if it has a model, otherwise the newest that has one.
/// Returns an empty path if no snapshot has a model.
fs::path snapshot_of(const fs::path& repository) {
  std::string revision = read_beginning(repository / "refs" / "main", kLooked);
  std::erase_if(revision, [](unsigned char c) { return c <= ' '; });
  fs::path current = repository / "snapshots" / revision;
  if (!revision.empty() && fs::path(revision).filename() == revision && has_model(current)) return current;
  fs::path newest;
  fs::file_time_type latest = fs::file_time_type::min();
  for (const fs::path& snapshot : entries_of(repository / "snapshots")) {
    std::error_code ignored;
    const fs::file_time_type written = fs::last_write_time(snapshot, ignored);
    if (!has_model(snapshot) || (!newest.empty() && written <= latest)) continue;
    newest = snapshot;
    latest = written;
  }
  return newest;
}

/// Throws InputError if a word without a file's ending is similar to a preset's id.
void reject_mistyped_preset(const std::string& word) {
  if (word.empty() || ends_like_file(word) || word.find_first_of("/\\") != std::string::npos) return;
  const std::vector<std::string> near = similar_presets(find_places().assets, word);
  if (!near.empty()) throw InputError("preset.unknown_near", {{"id", word}, {"near", one_of(near)}});
}

/// Returns whether the cache records that the hub did not deliver the config.
bool is_recorded_as_missing(const fs::path& repository) {
  for (const fs::path& revision : entries_of(repository / ".no_exist")) {
    if (is_there(revision / "config.json")) return true;
  }
  return false;
}

bool is_offline() {
  const auto is_set = [](const char* variable) {
    std::string value = os::environment_path(variable).string();
    for (char& c : value) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    constexpr std::string_view kSet[] = {"1", "TRUE", "ON", "YES"};
    return std::find(std::begin(kSet), std::end(kSet), value) != std::end(kSet);
  };
  return is_set("HF_HUB_OFFLINE") || is_set("TRANSFORMERS_OFFLINE");
}

[[noreturn]] void reject_repository(const std::string& repository, const std::string& files) {
  const fs::path folder = repository_folder(repository);
  const bool there = is_folder(folder.string());
  const char* why = !there ? "hub.missing" : is_recorded_as_missing(folder) ? "hub.refused" : "hub.incomplete";
  const std::string command = "hf download " + repository + files;
  const Message remedy(is_offline() ? "error.hub.remedy_offline" : "error.hub.remedy", {{"command", command}});
  throw InputError(repository, why, {{"folder", (there ? folder : hub_folder()).string()}, {"remedy", remedy}});
}

/// Returns the preset whose numbers a repository published: its source is "Hugging Face OWNER/NAME, FILE".
std::optional<fs::path> preset_from(const std::string& repository) {
  for (const fs::path& path : preset_files(find_places().assets)) {
    if ((read_preset(path).source + ",").find("Hugging Face " + repository + ",") != std::string::npos) return path;
  }
  return std::nullopt;
}

// --- Trained -------------------------------------------------------------------------------------------------------

/// A .safetensors of float32 tensors in the order of insertion.
class Tensors {
 public:
  void put(const std::string& name, const std::vector<std::int64_t>& shape, std::span<const float> cells) {
    const std::size_t begin = numbers_.size();
    append_little_endian(cells, numbers_);
    header_[name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {begin, numbers_.size()}}};
  }
  void say(const std::string& key, const std::string& value) { header_["__metadata__"][key] = value; }
  std::string bytes() const {
    std::string head = header_.dump();
    head.resize((head.size() + 7) / 8 * 8, ' ');
    const auto length = static_cast<std::uint64_t>(head.size());
    std::string bytes;
    bytes.reserve(sizeof length + head.size() + numbers_.size());
    append_little_endian(std::span(&length, 1), bytes);
    return bytes.append(head).append(numbers_);
  }

 private:
  nlohmann::ordered_json header_ = nlohmann::ordered_json::object();
  std::string numbers_;
};

// --- Reported ------------------------------------------------------------------------------------------------------

constexpr std::size_t kMax = 64;  ///< tables, rows, columns

template <class T>
T require_value(const Section& section, const char* key, const std::optional<Read<T>>& found) {
  if (!found) section.reject(key, Message("expected.value"));
  return found->value;
}

/// Returns the objects of a list.
std::vector<Section> sections(const Section& parent, const char* key) {
  const nlohmann::json* list = parent.find(key);
  const auto is_object = [](const nlohmann::json& each) { return each.is_object(); };
  const bool usable = list && list->is_array() && !list->empty() && list->size() <= kMax &&
                      std::all_of(list->begin(), list->end(), is_object);
  if (!usable) parent.reject(key, {"expected.objects", {{"most", kMax}}});
  std::vector<Section> found;
  for (const nlohmann::json& each : *list) found.push_back({&each, parent.field(key), parent.source});
  return found;
}

std::vector<std::string> texts(const Section& section, const char* key) {
  const nlohmann::json* list = section.find(key);
  const auto is_text = [](const nlohmann::json& each) { return each.is_string(); };
  if (!list || !list->is_array() || !std::all_of(list->begin(), list->end(), is_text)) {
    section.reject(key, Message("expected.texts"));
  }
  return list->get<std::vector<std::string>>();
}

ReportedTable read_table(const Section& section) {
  ReportedTable table;
  table.name = require_value(section, "name", section.text("name"));
  table.number = require_value(section, "number", section.whole("number"));
  table.decimals = require_value(section, "decimals", section.whole("decimals"));
  table.columns = texts(section, "columns");
  for (const Section& each : sections(section, "rows")) {
    ReportedTable::Row row;
    row.name = require_value(each, "name", each.text("name"));
    row.role = require_value(each, "role", each.text("role"));
    if (const auto other = each.flag("other_set")) row.other_set = other->value;
    row.values = require_value(each, "values", each.numbers("values"));
    if (row.values.size() != table.columns.size()) each.reject("values", Message("expected.numbers"));
    table.rows.push_back(std::move(row));
  }
  return table;
}

ReportedPaper read_paper(const Section& root) {
  ReportedPaper paper;
  paper.paper = require_value(root, "paper", root.text("paper"));
  paper.source = require_value(root, "source", root.text("source"));
  for (const Section& each : sections(root, "tables")) paper.tables.push_back(read_table(each));
  const auto stages = root.section("pretraining");
  if (!stages) root.reject("pretraining", Message("expected.object"));
  paper.stages_number = require_value(*stages, "number", stages->whole("number"));
  const std::vector<double> longest = require_value(*stages, "longest", stages->numbers("longest"));
  if (longest.empty()) stages->reject("longest", Message("expected.numbers"));
  paper.longest_stage = static_cast<int>(*std::max_element(longest.begin(), longest.end()));
  return paper;
}

}  // namespace

bool is_saved_as(const std::filesystem::path& path, const std::string& format) {
  if (lower_extension(path) != "." + format) return false;
  const std::string bytes = read_beginning(path, kLooked);
  struct Sign {
    std::string_view format, word;
    bool first;  ///< the file begins with it; else it is anywhere in the bytes
  };
  constexpr Sign kSigns[] = {{"svg", "<svg", false},
                             {"pdf", "%PDF", true},
                             {"png", "\x89PNG", true},
                             {"gif", "GIF8", true},
                             {"json", "\"ropescope\"", false}};
  for (const auto& [name, word, first] : kSigns) {
    if (format == name) return first ? bytes.starts_with(word) : bytes.find(word) != std::string::npos;
  }
  return bytes.find('\0') == std::string::npos && bytes.substr(0, bytes.find('\n')).find(',') != std::string::npos;
}

// --- Profiles ------------------------------------------------------------------------------------------------------

bool is_of_images(const Profile& profile) {
  constexpr std::string_view kOfImages[] = {"image", "video"};
  return std::find(std::begin(kOfImages), std::end(kOfImages), profile.name) != std::end(kOfImages);
}

// --- GGUF ----------------------------------------------------------------------------------------------------------

bool is_gguf(const std::filesystem::path& path) {
  try {
    return begins_like_gguf(map_file(path.string())->bytes());
  } catch (const InputError&) {
    return false;
  }
}

bool is_gguf_of_tensors(const std::filesystem::path& path) {
  try {
    const Mapped file = map_file(path.string());
    return begins_like_gguf(file->bytes()) &&
           !find_entry(read_gguf(file->bytes(), path.string()), "general.architecture");
  } catch (const InputError&) {
    return false;
  }
}

ModelConfig load_gguf_config(const std::filesystem::path& path) {
  const std::string asked = path.string();
  const Mapped first = map_file(asked);
  std::optional<GgufFile> named = read_gguf(first->bytes(), asked);
  const std::vector<std::string> paths = gguf_parts(*named, asked);
  std::vector<Mapped> files;
  std::vector<GgufFile> parts;
  for (const std::string& part : paths) {
    const bool same = part == asked && named.has_value();
    files.push_back(same ? first : map_part(part, asked, files.size() + 1, paths.size()));
    parts.push_back(same ? *std::exchange(named, std::nullopt) : read_gguf(files.back()->bytes(), part));
  }
  ModelConfig config = parse_gguf_config(parts);
  for (const Mapped& file : files) file->check_unchanged();
  return config;
}

// --- Folders -------------------------------------------------------------------------------------------------------

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_model_folder(const std::string& path) {
  if (!is_folder(path)) return false;
  const fs::path folder(path);
  return is_there(folder / "config.json") || is_there(folder / "model_index.json") || gguf_models(folder).size() == 1;
}

ModelFiles find_model_files(const std::string& name) {
  const NamedModel named = resolve_model(name);
  const std::string& path = named.path;
  if (!named.exists) reject_mistyped_preset(name);
  if (!is_folder(path)) return {path, std::nullopt, std::nullopt};
  const fs::path folder(path);
  if (const fs::path index = folder / "model_index.json"; is_there(index)) return pipeline_files(folder, index);
  const fs::path config = folder / "config.json";
  if (!is_there(config)) return {gguf_file(folder), std::nullopt, std::nullopt};
  return {config.string(), std::nullopt, stored_frequencies(folder)};
}

// --- Models --------------------------------------------------------------------------------------------------------

std::vector<Preset> load_presets(const std::filesystem::path& assets) {
  std::vector<Preset> presets;
  for (const std::filesystem::path& path : preset_files(assets)) presets.push_back(read_preset(path));
  // Presets are sorted as users expect: "gpt-oss" under G.
  std::stable_sort(presets.begin(), presets.end(), [](const Preset& a, const Preset& b) {
    return std::lexicographical_compare(
        a.name.begin(), a.name.end(), b.name.begin(), b.name.end(),
        [](unsigned char x, unsigned char y) { return std::tolower(x) < std::tolower(y); });
  });
  return presets;
}

Preset load_preset(const std::filesystem::path& assets, const std::string& id) {
  for (const fs::path& path : preset_files(assets)) {
    if (path.stem() == id) return read_preset(path);
  }
  const std::vector<std::string> near = similar_presets(assets, id);
  if (near.empty()) throw InputError("preset.unknown", {{"id", id}});
  throw InputError("preset.unknown_near", {{"id", id}, {"near", one_of(near)}});
}

std::string profile_label(const Text& text, const std::string& name) {
  const std::string key = "profile." + name;
  return text.has(key) ? text[key] : name;
}

std::string shown_path(const std::filesystem::path& path) {
  return path.parent_path() == kDroppedFiles ? path.filename().string() : path.string();
}

std::string short_name(const std::filesystem::path& path) {
  if (!path.has_filename() && path.has_parent_path() && path != path.parent_path()) {
    return short_name(path.parent_path());  // a folder with a slash at its end
  }
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  const std::filesystem::path folder = absolute.parent_path().filename();
  const bool is_models = !error && !folder.empty() && absolute.parent_path() != kDroppedFiles;
  if (path.filename() != kConfigFile || !is_models) return path.filename().string();
  return (folder / path.filename()).string();
}

ModelConfig load_model_config(const std::filesystem::path& path) {
  const ModelFiles files = find_model_files(path.string());
  if (is_gguf(files.config)) return load_gguf_config(files.config);
  const std::string content = read_file(files.config, kLargestJsonBytes);
  if (is_named_gguf_but_binary(files.config, content)) throw InputError(files.config, "gguf.not_gguf", {});
  if (is_preset(content, files.config)) {
    Preset preset = preset_of(content, files.config);
    return {std::move(preset.id), std::move(preset.profiles)};
  }
  ModelConfig config = parse_model_config(content, files.config);
  if (files.frequencies) add_stored_frequencies(*files.frequencies, config.profiles.front());
  return config;
}

std::optional<LayoutConfig> load_layout_config(const std::filesystem::path& path) {
  const ModelFiles files = find_model_files(path.string());
  if (is_gguf(files.config)) return std::nullopt;
  const std::string content = read_file(files.config, kLargestJsonBytes);
  if (is_preset(content, files.config)) return layout_of_preset(content, files.config);
  auto config = find_layout_config(content, files.config);
  if (config && files.vae) take_vae(*files.vae, *config);
  return config;
}

LayoutConfig require_layout_config(const std::filesystem::path& path) {
  if (auto config = load_layout_config(path)) return *std::move(config);
  const ModelFiles files = find_model_files(path.string());
  // Throws the more specific error of a model that is known but not supported.
  const std::string content = is_gguf(files.config) ? std::string() : read_file(files.config, kLargestJsonBytes);
  if (!content.empty() && !is_preset(content, files.config)) parse_layout_config(content, files.config);
  throw InputError(path.string(), "config.no_layout", {});
}

bool is_experiment(const std::string& path) {
  try {
    return !is_folder(path) && read_file(path, kLargestJsonBytes).find("\"ropescope\"") != std::string::npos;
  } catch (const InputError&) {
    return false;  // the error is reported when it is opened
  }
}

// --- Hugging Face cache --------------------------------------------------------------------------------------------

NamedModel resolve_model(const std::string& name, const std::string& files) {
  if (name.empty() || is_there(name)) return {name, std::nullopt, !name.empty()};
  if (name.find_first_of("/\\") == std::string::npos) {
    std::string id = name;
    for (char& c : id) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const fs::path preset = find_places().assets / "models" / (id + ".json");
    if (is_there(preset)) return {preset.string(), id, true};
  }
  if (!is_repository(name)) return {name, std::nullopt, false};
  if (const fs::path snapshot = snapshot_of(repository_folder(name)); !snapshot.empty()) {
    return {snapshot.string(), std::nullopt, true};
  }
  if (const auto preset = preset_from(name)) return {preset->string(), preset->stem().string(), true};
  reject_repository(name, files);
}

std::vector<std::string> cached_repositories() {
  std::vector<std::string> names;
  for (const fs::path& folder : entries_of(hub_folder())) {
    const std::string name = folder.filename().string();
    const std::size_t between = name.find("--", kModels.size());
    if (!name.starts_with(kModels) || between == std::string::npos || snapshot_of(folder).empty()) continue;
    std::string repository = name.substr(kModels.size(), between - kModels.size()) + "/" + name.substr(between + 2);
    if (is_repository(repository)) names.push_back(std::move(repository));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// --- Trained -------------------------------------------------------------------------------------------------------

std::string safetensors_of(const Trainer<float>& trainer, const RaceSetup& setup, const RunnerSpec& spec) {
  Tensors tensors;
  const auto say = [&](const char* key, const std::string& value) {
    tensors.say(std::string(kWeightNotes) + key, value);
  };
  if (find_encoding(spec.encoding).training == Training::rotation) {
    say("encoding", spec.encoding);
    say("heads", std::to_string(setup.heads));
    say("head_dim", std::to_string(setup.width / setup.heads));
    say("pairing", spec.settings.pairing == Pairing::half_split ? "half" : "interleaved");
    say("base", number_text(spec.settings.base));
    say("length", std::to_string(setup.length));
    if (takes(find_encoding(spec.encoding), "p")) say("p", number_text(spec.settings.p));
  }
  for (const ParameterBlock& block : trainer.layout().blocks) {
    if (block.count() == 0) continue;
    std::vector<std::int64_t> shape;
    if (block.rows > 1) shape.push_back(block.rows);
    shape.push_back(block.columns);
    tensors.put(
        block.name, shape,
        trainer.parameters().subspan(static_cast<std::size_t>(block.offset), static_cast<std::size_t>(block.count())));
  }
  return tensors.bytes();
}

std::string dump_of(const TrainedHeads& heads) {
  Tensors tensors;
  tensors.say("encoding", heads.encoding);
  tensors.say("attention", !heads.linear_attention ? "softmax" : heads.random_features ? "performer" : "linear");
  tensors.say("causal", heads.causal ? "yes" : "no");
  tensors.say("base", number_text(heads.settings.front().base));
  tensors.say("pairing", heads.settings.front().pairing == Pairing::half_split ? "half" : "interleaved");
  const bool kernel = find_encoding(heads.encoding).training == Training::trained_kernel;
  for (const EncodingValues& settings : heads.settings) {
    if (!kernel) break;
    const std::string head = "head " + std::to_string(settings.head);
    tensors.say(head + " r1", number_text(settings.kerple_r1));
    tensors.say(head + " r2", number_text(settings.kerple_r2));
  }
  const std::vector<std::int64_t> shape{heads.tokens, heads.heads, heads.channels};
  for (std::size_t i = 0; i < heads.layers.size(); ++i) {
    const std::string layer = "." + std::to_string(i);
    tensors.put("q" + layer, shape, heads.layers[i].q);
    tensors.put("k" + layer, shape, heads.layers[i].k);
    tensors.put("v" + layer, shape, heads.layers[i].v);
  }
  if (!heads.trained_biases.empty()) {
    tensors.put("bias", {heads.heads, 2 * heads.tokens - 1}, heads.trained_biases);
  }
  return tensors.bytes();
}

// --- Reported ------------------------------------------------------------------------------------------------------

const ReportedTable::Row* ReportedTable::row(const std::string& role) const {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.role == role; });
  return found == rows.end() ? nullptr : &*found;
}

const ReportedTable& ReportedPaper::table(const std::string& name) const {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const auto& table) { return table.name == name; });
  if (found != tables.end()) return *found;
  throw InputError("reported.no_table", {{"name", name}});
}

ReportedPaper load_reported(const std::filesystem::path& assets) {
  const std::filesystem::path path = assets / "reported" / "roformer.json";
  const std::string content = read_file(path, kLargestJsonBytes);
  const nlohmann::json json = parse_json_object(content, path.string());
  return read_paper({&json, {}, verbatim(path.string())});
}

// --- Examples ------------------------------------------------------------------------------------------------------

std::vector<CheckExample> load_examples(const std::filesystem::path& assets) {
  const std::filesystem::path folder = assets / "examples", path = folder / "index.json";
  const nlohmann::json json = parse_json_object(read_file(path, kLargestJsonBytes), path.string());
  std::vector<CheckExample> examples;
  for (const Section& section : sections({&json, {}, verbatim(path.string())}, "examples")) {
    CheckExample example;
    example.name = require_value(section, "name", section.text("name"));
    example.command = require_value(section, "command", section.text("command"));
    const std::vector<std::string> files = texts(section, "files");
    for (const std::string& argument : texts(section, "arguments")) {
      const bool is_file = std::find(files.begin(), files.end(), argument.substr(0, argument.find(':'))) != files.end();
      example.arguments.push_back(is_file ? (folder / argument).string() : argument);
    }
    if (const auto verdict = section.text("verdict")) example.verdict = verdict->value;
    if (const auto cause = section.text("cause")) example.cause = cause->value;
    const double exit_code = require_value(section, "exit", section.number("exit"));
    if (exit_code != 0 && exit_code != 1) section.reject("exit", {"expected.number", {{"least", 0}, {"most", 1}}});
    example.exit_code = static_cast<int>(exit_code);
    const auto titles = section.section("title");
    if (!titles) section.reject("title", Message("expected.object"));
    for (const auto& [language, title] : titles->object->items()) {
      example.titles[language] = require_value(*titles, language.c_str(), titles->text(language));
    }
    require_value(*titles, kEnglish, titles->text(kEnglish));
    examples.push_back(std::move(example));
  }
  return examples;
}

// --- Dumps ---------------------------------------------------------------------------------------------------------

AttentionInput LoadedDump::head(std::int64_t head, std::int64_t tokens, const std::string& path) const {
  AttentionInput input = head_of(dump, head, tokens, path);
  file->check_unchanged();
  return input;
}

LoadedDump load_attention_dump(const std::string& path, const DumpReading& reading) {
  LoadedDump loaded;
  loaded.file = map_file(path);
  loaded.dump = parse_attention_dump(loaded.file->bytes(), loaded.file, path, reading);
  loaded.file->check_unchanged();
  return loaded;
}

}  // namespace ropescope
