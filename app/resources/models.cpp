// Finds and loads models and dumps by name or path, and writes trained ones.
//
// Contents: Kinds of files; GGUF; Folders; Models; Trained; Reported; Dumps.

#include "app/resources/models.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "app/resources/files.h"
#include "app/resources/text.h"
#include "core/check/check.h"
#include "core/formats/families/gguf_config.h"
#include "core/formats/json.h"
#include "core/formats/nlohmann.h"
#include "core/formats/tensor_file.h"
#include "core/machine.h"
#include "core/words.h"

namespace ropescope {

// --- Kinds of files ------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kLooked = 4096;  ///< bytes

/// The first bytes of a file; empty for what is no file on a disc, as a pipe would be waited for.
std::string beginning_of(const std::filesystem::path& path) {
  try {
    const auto file = map_file(path.string());
    const auto bytes = file->bytes().first(std::min(file->bytes().size(), kLooked));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  } catch (const InputError&) {
    return {};
  }
}

std::string lower_extension(const std::filesystem::path& path) {
  std::string text = path.extension().string();
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

bool is_saved_as(const std::filesystem::path& path, const std::string& format) {
  if (lower_extension(path) != "." + format) return false;
  const std::string bytes = beginning_of(path);
  const auto holds = [&bytes](std::string_view word) { return bytes.find(word) != std::string::npos; };
  if (format == "svg") return holds("<svg");
  if (format == "pdf") return bytes.starts_with("%PDF");
  if (format == "png") return bytes.starts_with("\x89PNG");
  if (format == "gif") return bytes.starts_with("GIF8");
  if (format == "json") return holds("\"ropescope\"");
  return bytes.find('\0') == std::string::npos && bytes.substr(0, bytes.find('\n')).find(',') != std::string::npos;
}

// --- GGUF ----------------------------------------------------------------------------------------------------------

namespace {

using Mapped = std::shared_ptr<const MappedFile>;

/// The `number`th of `count` parts of the model that `asked` belongs to.
Mapped map_part(const std::string& path, const std::string& asked, std::size_t number, std::size_t count) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return map_file(path);
  throw InputError(asked, "gguf.part_missing", {{"number", number}, {"count", count}, {"path", path}});
}

}  // namespace

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
  GgufFile named = read_gguf(first->bytes(), asked);
  const std::vector<std::string> paths = gguf_parts(named, asked);
  std::vector<Mapped> files;
  std::vector<GgufFile> parts;
  for (const std::string& part : paths) {
    const bool same = part == asked;
    files.push_back(same ? first : map_part(part, asked, files.size() + 1, paths.size()));
    parts.push_back(same ? std::move(named) : read_gguf(files.back()->bytes(), part));
  }
  ModelConfig config = parse_gguf_config(parts);
  for (const Mapped& file : files) file->check_unchanged();
  return config;
}

// --- Folders -------------------------------------------------------------------------------------------------------

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

// --- Models --------------------------------------------------------------------------------------------------------

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
  // Presets stand where people look for them: "gpt-oss" among the G's.
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

std::optional<std::string> preset_named(const std::filesystem::path& assets, const std::string& word) {
  for (const std::filesystem::path& path : preset_files(assets)) {
    if (path.stem().string() == word) return word;
  }
  // As the schema in assets/models writes it: "Hugging Face OWNER/NAME, FILE".
  const bool repository = std::count(word.begin(), word.end(), '/') == 1 && word.front() != '/' && word.back() != '/';
  for (const std::filesystem::path& path : repository ? preset_files(assets) : std::vector<std::filesystem::path>()) {
    const Preset preset = read_preset(path);
    if ((preset.source + ",").find("Hugging Face " + word + ",") != std::string::npos) return preset.id;
  }
  return std::nullopt;
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

// --- Trained -------------------------------------------------------------------------------------------------------

namespace {

/// A .safetensors of float32 tensors in the order in which they are put.
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

}  // namespace

std::string safetensors_of(const Trainer<float>& trainer) {
  Tensors tensors;
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

namespace {

constexpr std::size_t kMost = 64;  ///< tables, rows, columns

template <class T>
T needed(const Section& section, const char* key, const std::optional<Read<T>>& found) {
  if (!found) section.reject(key, Words("expected.value"));
  return found->value;
}

/// The objects of a list.
std::vector<Section> sections(const Section& parent, const char* key) {
  const nlohmann::json* list = parent.find(key);
  const auto is_object = [](const nlohmann::json& each) { return each.is_object(); };
  const bool usable = list && list->is_array() && !list->empty() && list->size() <= kMost &&
                      std::all_of(list->begin(), list->end(), is_object);
  if (!usable) parent.reject(key, {"expected.objects", {{"most", kMost}}});
  std::vector<Section> found;
  for (const nlohmann::json& each : *list) found.push_back({&each, parent.field(key), parent.source});
  return found;
}

std::vector<std::string> texts(const Section& section, const char* key) {
  const nlohmann::json* list = section.find(key);
  const auto is_text = [](const nlohmann::json& each) { return each.is_string(); };
  if (!list || !list->is_array() || !std::all_of(list->begin(), list->end(), is_text)) {
    section.reject(key, Words("expected.texts"));
  }
  return list->get<std::vector<std::string>>();
}

ReportedTable read_table(const Section& section) {
  ReportedTable table;
  table.name = needed(section, "name", section.text("name"));
  table.number = needed(section, "number", section.whole("number"));
  table.decimals = needed(section, "decimals", section.whole("decimals"));
  table.columns = texts(section, "columns");
  for (const Section& each : sections(section, "rows")) {
    ReportedTable::Row row;
    row.name = needed(each, "name", each.text("name"));
    row.role = needed(each, "role", each.text("role"));
    if (const auto other = each.flag("other_set")) row.other_set = other->value;
    row.values = needed(each, "values", each.numbers("values"));
    if (row.values.size() != table.columns.size()) each.reject("values", Words("expected.numbers"));
    table.rows.push_back(std::move(row));
  }
  return table;
}

ReportedPaper read_paper(const Section& root) {
  ReportedPaper paper;
  paper.paper = needed(root, "paper", root.text("paper"));
  paper.source = needed(root, "source", root.text("source"));
  for (const Section& each : sections(root, "tables")) paper.tables.push_back(read_table(each));
  const auto stages = root.section("pretraining");
  if (!stages) root.reject("pretraining", Words("expected.object"));
  paper.stages_number = needed(*stages, "number", stages->whole("number"));
  const std::vector<double> longest = needed(*stages, "longest", stages->numbers("longest"));
  if (longest.empty()) stages->reject("longest", Words("expected.numbers"));
  paper.longest_stage = static_cast<int>(*std::max_element(longest.begin(), longest.end()));
  return paper;
}

}  // namespace

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
  return read_paper({&json, {}, as_it_is(path.string())});
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
