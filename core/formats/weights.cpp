// Configs, tensor lists and layers of checkpoints. Read weights.h first.
//
// Contents: Models; Tensors; Layers.

#include "core/formats/weights.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "core/decay/limits.h"
#include "core/formats/dumps/ggml_dump.h"
#include "core/formats/dumps/torch_file.h"
#include "core/formats/families/config_parts.h"
#include "core/formats/families/config_text.h"
#include "core/formats/families/gguf_architectures.h"
#include "core/formats/families/gguf_config.h"
#include "core/formats/nlohmann.h"
#include "core/formats/tensor_file.h"
#include "core/message.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Models --------------------------------------------------------------------------------------------------------

namespace {

constexpr const char* kKeyHeadFields[] = {"num_key_value_heads",   "num_kv_heads",         "n_head_kv",
                                          "multi_query_group_num", "num_key_value_groups", "n_kv_heads"};
/// Encodings whose notes `ropescope race --weights` writes.
constexpr std::string_view kTrainedRotations[] = {"rope", "p-rope", "xpos"};

/// Returns the integer in the first of these fields; nullopt if it is a list, one number per layer.
std::optional<int> count_in(const Section& section, Spellings keys) {
  for (const char* key : keys) {
    const nlohmann::json* found = section.find(key);
    if (found && found->is_number()) return section.whole(key)->value;
  }
  return std::nullopt;
}

void read_heads(const Section& section, WeightModel& model) {
  model.heads = count_in(section, spellings_of(FieldMeaning::heads));
  model.key_heads = count_in(section, kKeyHeadFields);
  if (const auto inner = section.has("attn_config") ? section.section("attn_config") : std::nullopt) {
    model.key_heads = count_in(*inner, std::array{"kv_n_heads"});  // DBRX
  }
  const nlohmann::json *multi = section.find("multi_query"), *later = section.find("new_decoder_architecture");
  const bool is_later = later && *later == nlohmann::json(true);
  if (multi && *multi == nlohmann::json(true) && !is_later) model.key_heads = 1;  // Falcon 7B
}

/// Returns the index of a profile; 0 if there is none with this name.
std::size_t index_of(const std::vector<Profile>& profiles, std::string_view name) {
  const auto found = std::ranges::find(profiles, name, &Profile::name);
  return found == profiles.end() ? 0 : static_cast<std::size_t>(found - profiles.begin());
}

// --- Tensors -------------------------------------------------------------------------------------------------------

bool is_float(const std::optional<Storage>& storage) {
  return storage && !is_integer(*storage) && !is_complex(*storage);
}

[[noreturn]] void refuse_format(const WeightBytes& file, const std::string& name, const std::string& format) {
  throw InputError(file.source, "weights.format", {{"name", in_quotes(name)}, {"format", format}});
}

/// Appends a tensor if its name matches, after fill(tensor).
template <class Fill>
void add_matching(const TensorEntry& declared, std::size_t file, std::vector<WeightTensor>& tensors, const Fill& fill) {
  // GPTQ and AWQ store packed integers as "….qweight"; their format is rejected by name.
  std::string plain = declared.name;
  if (plain.ends_with(".qweight")) plain.erase(plain.rfind('q'), 1);
  auto matched = match_weight(plain);
  if (!matched) return;
  WeightTensor tensor{declared, *std::move(matched), file};
  fill(tensor);
  tensors.push_back(std::move(tensor));
}

std::vector<WeightTensor> list_safetensors(const WeightBytes& file, std::size_t index) {
  std::vector<WeightTensor> tensors;
  const auto entries = read_safetensors_header(file.bytes, file.source);
  for (const SafetensorsEntry& entry : entries) {
    add_matching(entry, index, tensors, [&](WeightTensor& tensor) {
      tensor.storage = safetensors_storage(entry.dtype);
      if (!is_float(tensor.storage)) refuse_format(file, tensor.name, entry.dtype);
    });
  }
  return tensors;
}

std::vector<WeightTensor> list_gguf(const WeightBytes& file, std::size_t index) {
  std::vector<WeightTensor> tensors;
  const GgufFile gguf = read_gguf(file.bytes, file.source);
  const auto entries = gguf_tensors(gguf);
  for (const GgmlTensor& entry : entries) {
    add_matching(entry, index, tensors, [&](WeightTensor& tensor) {
      tensor.storage = plain_ggml_storage(entry.type);
      tensor.blocks = entry.type;
      tensor.big_endian = gguf.big_endian;
      const bool blocks = !tensor.storage && !gguf.big_endian && find_ggml_block(entry.type);
      if (!blocks && !is_float(tensor.storage)) refuse_format(file, tensor.name, ggml_type_name(entry.type));
    });
  }
  return tensors;
}

std::vector<WeightTensor> list_torch_weights(const WeightBytes& file, std::size_t index) {
  std::vector<WeightTensor> tensors;
  const auto names = list_torch(file.bytes, file.source);
  for (const std::string& name : names) {
    add_matching({name, {}}, index, tensors, [&](WeightTensor& tensor) {
      const StoredTensor declared = declare_torch(file.bytes, file.source, name);
      tensor.storage = declared.storage;
      if (!is_float(tensor.storage)) refuse_format(file, name, std::string(storage_name(declared.storage)));
      tensor.archived = true;
      tensor.shape = declared.shape;
    });
  }
  return tensors;
}

// --- Layers --------------------------------------------------------------------------------------------------------

/// Tensors of one layer.
class LayerReader {
 public:
  LayerReader(const WeightDirectory& directory, int layer, const WeightModel& model, const OpenWeights& open)
      : directory_(directory), layer_(layer), model_(model), open_(open) {}

  LayerWeights read() {
    weights_.layer = layer_;
    weights_.channels = profile_of(model_, layer_).spec.head_dim;
    if (const WeightTensor* fused = find(WeightRole::fused)) {
      read_fused(*fused);
    } else {
      read_query();
      read_key();
    }
    if (weights_.query.heads.size() % weights_.key.heads.size() != 0) {
      throw InputError(weights_.key.weight.name, "weights.head_groups",
                       {{"heads", weights_.query.heads.size()}, {"key_heads", weights_.key.heads.size()}});
    }
    read_norms();
    return std::move(weights_);
  }

 private:
  const WeightTensor* find(WeightRole role, bool bias = false) const {
    const auto found = std::ranges::find_if(directory_.tensors, [&](const WeightTensor& tensor) {
      const MatchedWeight& matched = tensor.matched;
      return matched.layer == layer_ && matched.entry->role == role && matched.bias == bias;
    });
    return found == directory_.tensors.end() ? nullptr : &*found;
  }
  const WeightTensor& require(WeightRole role) const {
    if (const WeightTensor* found = find(role)) return *found;
    throw InputError(directory_.source, "weights.no_layer",
                     {{"layer", layer_}, {"layers", numbers_of_layers(directory_.layers)}});
  }

  /// Opens a tensor, of blocks as its bytes.
  StoredTensor open(const WeightTensor& tensor) {
    const auto [opened, is_new] = files_.try_emplace(tensor.file);
    if (is_new) opened->second = open_(tensor.file);
    const WeightBytes& file = opened->second;
    if (tensor.archived) return open_torch(file.bytes, file.source, tensor.name);
    if (tensor.end > file.bytes.size()) throw InputError(file.source, "file.changed", {});
    StoredTensor stored;
    stored.name = file.source + ": " + one_line(tensor.name);
    stored.storage = tensor.storage.value_or(Storage::uint8);
    stored.big_endian = tensor.big_endian;
    stored.shape = tensor.shape;
    stored.strides = row_major_strides(tensor.shape);
    stored.bytes = file.bytes.subspan(tensor.begin, tensor.end - tensor.begin);
    stored.owner = file.owner;
    return stored;
  }

  WeightRows open_matrix(const WeightTensor& tensor) {
    StoredTensor stored = open(tensor);
    if (stored.shape.size() != 2 || stored.count() == 0) {
      throw InputError(stored.name, "weights.matrix",
                       {{"shape", joined(stored.shape, " × ", [](auto side) { return std::to_string(side); })}});
    }
    if (tensor.matched.entry->fused == FusedRows::columns) {
      std::swap(stored.shape[0], stored.shape[1]);
      std::swap(stored.strides[0], stored.strides[1]);
    }
    require_width(stored.name, stored.shape[1]);
    WeightRows rows{stored.name, stored.shape[0], stored.shape[1], {}};
    if (tensor.storage) {
      rows.read = [stored](std::int64_t first, std::int64_t count, double* out) {
        read_rows(stored, first, count, out);
      };
      return rows;
    }
    const GgmlBlock block = *find_ggml_block(tensor.blocks);
    const auto row_bytes = static_cast<std::size_t>(rows.columns / block.numbers * block.bytes);
    rows.read = [stored, row_bytes, type = tensor.blocks](std::int64_t first, std::int64_t count, double* out) {
      unpack_blocks(type, stored.bytes.subspan(static_cast<std::size_t>(first) * row_bytes, count * row_bytes), out);
    };
    return rows;
  }

  /// Reads all numbers of a tensor, finite ones; empty if there is no such tensor.
  Eigen::VectorXd read_vector(const WeightTensor* tensor) {
    if (!tensor) return {};
    const StoredTensor stored = open(*tensor);
    if (!tensor->storage) throw InputError(stored.name, "weights.vector_format", {});
    require_width(stored.name, stored.count());
    Eigen::VectorXd values(stored.count());
    read_rows(stored, 0, stored.shape.empty() ? 1 : stored.shape[0], values.data());
    if (!values.allFinite()) throw InputError(stored.name, "weights.vector_not_finite", {});
    return values;
  }
  /// The weights of a norm, of all heads if each has its own tensor; and their name, for errors.
  struct Norm {
    std::string name;
    Eigen::VectorXd weights;
    void require(std::int64_t expected) const {
      if (weights.size() == expected) return;
      throw InputError(name, "weights.norm", {{"count", weights.size()}, {"expected", expected}});
    }
  };
  Norm read_norm(WeightRole role) {
    std::map<int, const WeightTensor*> of_heads;
    for (const WeightTensor& tensor : directory_.tensors) {
      const MatchedWeight& matched = tensor.matched;
      const bool is_its = matched.layer == layer_ && matched.entry->role == role && !matched.bias;
      if (is_its) of_heads.emplace(matched.head, &tensor);
    }
    Norm norm;
    for (const auto& [head, tensor] : of_heads) {
      const Eigen::VectorXd one = read_vector(tensor), before = norm.weights;
      norm.weights.resize(before.size() + one.size());
      norm.weights << before, one;
      norm.name = open(*tensor).name;
    }
    if (model_.norms_plus_one) norm.weights.array() += 1;
    return norm;
  }

  /// A .pt can declare any size for few bytes, by strides of 0.
  static void require_width(const std::string& name, std::int64_t numbers) {
    constexpr std::int64_t kMax = std::int64_t{1} << 20;
    if (numbers > kMax) throw InputError(name, "weights.too_wide", {{"numbers", numbers}, {"most", kMax}});
  }

  [[noreturn]] void refuse_rows(const WeightRows& rows, std::int64_t expected) const {
    throw InputError(rows.name, "weights.rows",
                     {{"rows", rows.rows}, {"expected", expected}, {"head_dim", weights_.channels}});
  }

  /// Sets the first rows of `count` heads, `stride` apart.
  static void place_heads(Projection& part, std::int64_t count, std::int64_t first, std::int64_t stride) {
    for (std::int64_t head = 0; head < count; ++head) part.heads.push_back(first + head * stride);
  }

  /// Returns the number of heads of a matrix that contains nothing else.
  std::int64_t count_heads(const WeightRows& rows, const std::optional<int>& known) const {
    if (rows.rows % weights_.channels != 0 || (known && rows.rows != std::int64_t{*known} * weights_.channels)) {
      refuse_rows(rows, std::int64_t{known.value_or(1)} * weights_.channels);
    }
    return rows.rows / weights_.channels;
  }

  void take_bias(WeightRole role, Projection& part) {
    const Eigen::VectorXd bias = read_vector(find(role, true));
    if (bias.size() == 0) return;
    if (bias.size() != part.weight.rows) {
      throw InputError(part.weight.name, "weights.bias", {{"count", bias.size()}, {"rows", part.weight.rows}});
    }
    part.bias.resize(static_cast<Eigen::Index>(part.heads.size()) * weights_.channels);
    for (std::size_t head = 0; head < part.heads.size(); ++head) {
      part.bias.segment(static_cast<Eigen::Index>(head) * weights_.channels, weights_.channels) =
          bias.segment(part.heads[head], weights_.channels);
    }
  }

  void read_query() {
    Projection& part = weights_.query;
    const std::int64_t channels = weights_.channels, heads = model_.heads.value_or(1);
    const WeightTensor* compressed = find(WeightRole::latent_query);
    if (find(WeightRole::latent_key)) {
      // The rotated channels are the last ones of each head.
      part.weight = open_matrix(compressed ? *compressed : require(WeightRole::query));
      if (part.weight.rows % heads != 0 || part.weight.rows / heads < channels) {
        refuse_rows(part.weight, heads * channels);
      }
      const std::int64_t whole = part.weight.rows / heads;
      place_heads(part, heads, whole - channels, whole);
      return;
    }
    part.weight = open_matrix(require(WeightRole::query));
    // Qwen3-Next and 3.5: each head's queries are followed by its gate.
    const bool gated = model_.heads && part.weight.rows == 2 * heads * channels;
    place_heads(part, gated ? heads : count_heads(part.weight, model_.heads), 0, gated ? 2 * channels : channels);
    take_bias(WeightRole::query, part);
  }

  void read_key() {
    Projection& part = weights_.key;
    const std::int64_t channels = weights_.channels;
    if (const WeightTensor* latent = find(WeightRole::latent_key)) {
      part.weight = open_matrix(*latent);
      if (part.weight.rows < channels) refuse_rows(part.weight, channels);
      place_heads(part, 1, part.weight.rows - channels, 0);
      return;
    }
    part.weight = open_matrix(require(WeightRole::key));
    place_heads(part, count_heads(part.weight, model_.key_heads), 0, channels);
    take_bias(WeightRole::key, part);
  }

  void read_fused(const WeightTensor& tensor) {
    Projection &query = weights_.query, &key = weights_.key;
    query.weight = key.weight = open_matrix(tensor);
    const std::int64_t channels = weights_.channels, rows = query.weight.rows;
    const std::int64_t heads = model_.heads.value_or(std::max<std::int64_t>(1, rows / (3 * channels)));
    const std::int64_t groups = model_.key_heads.value_or(heads);
    const std::int64_t expected = (heads + 2 * groups) * channels;
    if (rows != expected || heads % groups != 0) refuse_rows(query.weight, expected);
    if (tensor.matched.entry->fused == FusedRows::grouped) {
      const std::int64_t queries = heads / groups, stride = (queries + 2) * channels;
      for (std::int64_t group = 0; group < groups; ++group) place_heads(query, queries, group * stride, channels);
      place_heads(key, groups, queries * channels, stride);
    } else {
      place_heads(query, heads, 0, channels);
      place_heads(key, groups, heads * channels, channels);
    }
    take_bias(WeightRole::fused, query);
    take_bias(WeightRole::fused, key);
  }

  /// Expands a norm of q or k to all heads: one weight per channel of a head, or of all heads together.
  void take_norm(WeightRole role, Projection& part) {
    const Norm norm = read_norm(role);
    const auto heads = static_cast<Eigen::Index>(part.heads.size());
    const bool of_all = norm.weights.size() == 0 || norm.weights.size() == heads * weights_.channels;
    if (!of_all) norm.require(weights_.channels);
    part.norm = of_all ? norm.weights : Eigen::VectorXd(norm.weights.replicate(heads, 1));
  }

  static void take_input(const Norm& norm, Projection& part) {
    if (norm.weights.size() > 0) norm.require(part.weight.columns);
    part.input = norm.weights;
  }

  void read_norms() {
    const Norm input = read_norm(WeightRole::input_norm);
    const bool compressed = find(WeightRole::latent_query) != nullptr;
    take_input(compressed ? read_norm(WeightRole::latent_query_norm) : input, weights_.query);
    take_input(input, weights_.key);
    if (find(WeightRole::latent_key)) return;
    take_norm(WeightRole::query_norm, weights_.query);
    take_norm(WeightRole::key_norm, weights_.key);
  }

  const WeightDirectory& directory_;
  int layer_;
  const WeightModel& model_;
  const OpenWeights& open_;
  std::map<std::size_t, WeightBytes> files_;
  LayerWeights weights_;
};

}  // namespace

WeightModel parse_weight_model(std::string_view config, const std::string& source) {
  WeightModel model;
  model.source = source;
  ModelConfig read = parse_model_config(config, source);
  model.profiles = std::move(read.profiles);
  const nlohmann::json json = parse_json_object(config, source, kPublishedJson);
  TextTower tower = find_text_tower({&json, {}, verbatim(source)});
  read_heads(tower.section, model);
  model.norms_plus_one = adds_one_to_norms(tower.family.model_type);
  for (const TextLayers& kind : find_text_layers(tower)) {
    for (const int layer : kind.numbers) model.profile_of_layer[layer] = index_of(model.profiles, kind.name);
  }
  const LayerTypes types = read_layer_types(tower);
  const std::vector<int> unrotated = types.unrotated();
  model.unrotated.insert(unrotated.begin(), unrotated.end());
  if (types.turned.empty() && types.interval > 0) {
    for (int layer = types.interval - 1; layer <= kMaxWeightLayer; layer += types.interval) {
      model.unrotated.insert(layer);
    }
  }
  return model;
}

WeightModel parse_weight_model(std::span<const GgufFile> parts) {
  WeightModel model;
  model.source = parts.front().source;
  model.profiles = parse_gguf_config(parts).profiles;
  const std::vector<int> unrotated = find_unrotated_gguf_layers(parts);
  model.unrotated.insert(unrotated.begin(), unrotated.end());
  const GgufMetadata metadata = gguf_metadata(parts.front());
  const auto count = [&](std::string_view name) -> std::optional<int> {
    const GgufEntry* entry = metadata.find(name);
    if (!entry || entry->type == GgufType::array) return std::nullopt;
    const int found = metadata.whole(name)->value;
    return found > 0 ? std::optional(found) : std::nullopt;
  };
  model.heads = count("attention.head_count");
  model.key_heads = count("attention.head_count_kv");
  // Gemma 3 and its relatives: the last of every so many layers has full attention.
  const GgufArchitecture* known = find_gguf_architecture(metadata.architecture);
  const std::size_t sliding = index_of(model.profiles, kSlidingProfile);
  const int every = known && !known->full_first ? known->full_every : 0, layers = count("block_count").value_or(0);
  for (int layer = 0; layer < std::min(layers, 10'000) && every > 0; ++layer) {
    if ((layer + 1) % every != 0) model.profile_of_layer[layer] = sliding;
  }
  return model;
}

std::optional<WeightModel> find_weight_model(const WeightBytes& file) {
  if (!is_safetensors(file.bytes, file.source)) return std::nullopt;
  std::map<std::string, std::string> notes = read_safetensors_notes(file.bytes, file.source, kWeightNotes);
  if (!notes.contains("encoding")) return std::nullopt;
  const auto refuse = [&](const std::string& key) {
    throw InputError(file.source, "weights.note",
                     {{"key", std::string(kWeightNotes) + key}, {"found", in_quotes(notes[key])}});
  };
  const auto number = [&](const std::string& key, double least) {
    const std::string& text = notes[key];
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value >= least && value <= 1e9)) refuse(key);
    return value;
  };
  if (std::ranges::count(kTrainedRotations, notes["encoding"]) == 0) refuse("encoding");
  if (notes["pairing"] != "half" && notes["pairing"] != "interleaved") refuse("pairing");
  Profile profile;
  profile.name = kTextProfile;
  RotarySpec& spec = profile.spec;
  spec.head_dim = static_cast<int>(number("head_dim", 2));
  spec.pairing = notes["pairing"] == "half" ? Pairing::half_split : Pairing::interleaved;
  spec.trained_length = number("length", 1);
  RotaryAxis& axis = spec.axes.front();
  axis.rotary_dim = spec.head_dim;
  axis.base = number("base", 1);
  if (notes.contains("p")) {
    axis.ladder = Ladder::proportional;
    axis.live_fraction = number("p", 0);
  }
  validate(spec);
  WeightModel model;
  model.source = file.source;
  model.decays = notes["encoding"] == "xpos";
  model.heads = model.key_heads = static_cast<int>(number("heads", 1));
  model.profiles.push_back(std::move(profile));
  return model;
}

const Profile& profile_of(const WeightModel& model, int layer) {
  const auto found = model.profile_of_layer.find(layer);
  return model.profiles[found == model.profile_of_layer.end() ? 0 : found->second];
}

WeightRope rope_of(const WeightModel& model, int layer, std::optional<Pairing> pairing) {
  const RotarySpec& spec = profile_of(model, layer).spec;
  RotarySpec plain = spec;
  plain.extension = {};
  WeightRope rope{head_ladder(spec), pairing.value_or(spec.pairing), spec.trained_length};
  rope.trained = trained_frequencies(head_ladder(plain).frequencies, rope.frequencies);
  if (model.unrotated.contains(layer)) {
    rope.rotates = false;
    rope.frequencies.setZero();
    rope.trained.setZero();
  }
  return rope;
}

std::vector<WeightTensor> list_weights(const WeightBytes& file, std::size_t index) {
  if (begins_like_gguf(file.bytes)) return list_gguf(file, index);
  if (is_of_torch_or_ggml(file.bytes, file.source)) return list_torch_weights(file, index);
  try {
    if (is_safetensors(file.bytes, file.source)) return list_safetensors(file, index);
  } catch (const InputError& error) {
    // That error lists the formats of tensors.
    if (std::string_view(error.what()).find("tensor_file.unknown") == std::string_view::npos) throw;
  }
  throw InputError(file.source, "weights.kind", {});
}

WeightDirectory make_directory(std::vector<WeightTensor> tensors, const std::string& source) {
  std::map<std::string, std::map<int, std::set<WeightRole>>> towers;
  for (const WeightTensor& tensor : tensors) {
    if (tensor.matched.layer > kMaxWeightLayer) {
      throw InputError(source, "weights.layer_number", {{"name", in_quotes(tensor.name)}, {"most", kMaxWeightLayer}});
    }
    if (!tensor.matched.bias) towers[tensor.matched.prefix][tensor.matched.layer].insert(tensor.matched.entry->role);
  }
  WeightDirectory directory;
  directory.source = source;
  std::string chosen;
  for (const auto& [prefix, layers] : towers) {
    std::vector<int> complete, incomplete;
    for (const auto& [layer, roles] : layers) {
      const auto has = [&roles = roles](WeightRole role) { return roles.contains(role); };
      const bool query = has(WeightRole::query) || has(WeightRole::latent_query);
      const bool key = has(WeightRole::key) || has(WeightRole::latent_key);
      if (has(WeightRole::fused) || (query && key)) {
        complete.push_back(layer);
      } else if (query || key) {
        incomplete.push_back(layer);
      }
    }
    if (complete.size() <= directory.layers.size()) continue;
    directory.layers = std::move(complete);
    directory.incomplete = std::move(incomplete);
    chosen = prefix;
  }
  if (directory.layers.empty()) throw InputError(source, "weights.no_tensors", {});
  for (WeightTensor& tensor : tensors) {
    if (tensor.matched.prefix != chosen) continue;
    if (tensor.matched.entry->pairing) directory.pairing = tensor.matched.entry->pairing;
    directory.tensors.push_back(std::move(tensor));
  }
  return directory;
}

LayerWeights open_layer(const WeightDirectory& directory, int layer, const WeightModel& model,
                        const OpenWeights& open) {
  LayerWeights weights = LayerReader(directory, layer, model, open).read();
  const Eigen::Index rotated = 2 * rope_of(model, layer).frequencies.size();
  if (rotated > weights.channels) {
    throw InputError(model.source, "weights.rotated", {{"rotated", rotated}, {"head_dim", weights.channels}});
  }
  return weights;
}

}  // namespace ropescope
