// Layer types from lists of kinds, lists of numbers, lists of layers, or rules; then which kinds are rotated.

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "core/formats/families/config_families.h"
#include "core/formats/families/config_text.h"
#include "core/formats/nlohmann.h"

namespace ropescope {

namespace {

using Types = std::vector<std::string>;

/// Kinds of layers with a state or a filter instead of positions, or without attention. Sources: the layer types of
/// huggingface/transformers 5.16 (Qwen3-Next, LFM2, Bamba, RecurrentGemma, Zamba2, MiniMax).
constexpr std::string_view kWithoutPositions[] = {
    kLinearAttention, "mamba",          "mamba2",           "ssm", "recurrent", "conv", "kda", "short_conv",
    "no_op",          "gated_deltanet", "lightning_indexer"};

/// Fields that list the kinds; block_types is repeated over the layers.
constexpr const char* kTypeFields[] = {"layer_types", "layers_block_type", "block_types", "mixer_types"};

/// Lists with a value for each layer: the kind for 0, false or null, and the kind for any other value. MiMo-V2,
/// SmallThinker, PLaMo 3, MiniMax, DeepSeek-V4.
constexpr struct {
  const char *field, *nothing, *something;
} kNumbered[] = {{"hybrid_layer_pattern", kFullAttention, kSlidingAttention},
                 {"sliding_window_layout", kFullAttention, kSlidingAttention},
                 {"interleaved_sliding_window", kFullAttention, kSlidingAttention},
                 {"sliding_window", kFullAttention, kSlidingAttention},
                 {"attn_type_list", kLinearAttention, kFullAttention},
                 {"compress_ratios", kSlidingAttention, "compressed_attention"}};

/// Lists of the layers with full attention, and the kind of the remaining layers: Bamba, LFM2, Zamba 2, Hymba.
constexpr struct {
  const char *field, *others;
} kIndexed[] = {{"attn_layer_indices", "mamba"},
                {"full_attn_idxs", "conv"},
                {"hybrid_layer_ids", "mamba"},
                {"global_attn_idx", kSlidingAttention}};

/// Values per layer: 1 rotary, 0 not (Llama 4, SmolLM3, SmallThinker), a base or 0 (Granite), true or false (Step-3.5).
constexpr const char* kTurnFields[] = {"no_rope_layers", "layer_rope_theta", "use_rope_layers", "rope_layout"};

int layer_count(const TextTower& tower) {
  const auto layers = tower.section.first_whole(spellings_of(FieldMeaning::layers));
  return layers ? std::min(layers->value, static_cast<int>(kLargestDimension)) : 0;
}

bool says(const TextTower& tower, std::string_view note) {
  return tower.family.rules.note && note == tower.family.rules.note;
}

Types types_where(int count, const std::function<bool(int layer)>& full, const char* others) {
  Types types;
  for (int layer = 0; layer < count; ++layer) types.emplace_back(full(layer) ? kFullAttention : others);
  return types;
}

/// Returns for each list entry whether it is not 0, false or null; nullopt if the field is missing or empty. Throws
/// InputError unless the field is a list of numbers or flags.
std::optional<std::vector<bool>> flags_of(const Section& section, const char* field) {
  const nlohmann::json* listed = section.find(field);
  if (!listed || (listed->is_array() && listed->empty())) return std::nullopt;
  const auto is_flag = [](const nlohmann::json& entry) { return entry.is_boolean() || entry.is_null(); };
  const auto counts = [&](const nlohmann::json& entry) { return is_flag(entry) || entry.is_number(); };
  const bool flags = listed->is_array() && std::any_of(listed->begin(), listed->end(), is_flag) &&
                     std::all_of(listed->begin(), listed->end(), counts);
  if (!flags) section.numbers(field);
  std::vector<bool> found;
  for (const nlohmann::json& entry : *listed) found.push_back(!entry.is_null() && entry != false && entry != 0);
  return found;
}

/// Returns false for a Nemotron-NAS block whose attention is omitted or replaced by a linear layer.
bool has_attention(const nlohmann::json& block) {
  const auto attention = block.is_object() ? block.find("attention") : block.end();
  if (attention == block.end() || !attention->is_object()) return true;
  const auto is_set = [&](const char* field) { return attention->contains(field) && (*attention)[field] == true; };
  return !is_set("no_op") && !is_set("replace_with_linear");
}

/// Reads the kinds from the lists in the file.
std::optional<Types> listed_types(const TextTower& tower) {
  const Section& section = tower.section;
  const int count = layer_count(tower);
  for (const char* field : kTypeFields) {
    const nlohmann::json* listed = section.find(field);
    if (!listed || !listed->is_array() || listed->empty()) continue;
    const std::size_t size = listed->size(), given = static_cast<std::size_t>(count);
    const bool repeats = std::string_view(field) == "block_types" && given > size;
    Types types;
    for (std::size_t layer = 0; layer < (repeats ? given : size); ++layer) {
      const nlohmann::json& type = (*listed)[layer % size];
      types.push_back(type.is_string() ? type.get<std::string>() : "");
    }
    return types;
  }
  for (const auto& [field, nothing, something] : kNumbered) {
    const nlohmann::json* listed = section.find(field);
    if (!listed || !listed->is_array()) continue;
    const auto flags = flags_of(section, field);
    if (!flags) continue;
    Types types;
    for (const bool flag : *flags) types.emplace_back(flag ? something : nothing);
    return types;
  }
  if (const nlohmann::json* blocks = section.find("block_configs"); blocks && blocks->is_array()) {
    Types types;
    for (const nlohmann::json& block : *blocks) types.emplace_back(has_attention(block) ? kFullAttention : "no_op");
    return types;
  }
  for (const auto& [field, others] : kIndexed) {
    const auto attention = section.numbers(field);
    if (!attention || count == 0) continue;
    const auto& layers = attention->value;
    return types_where(
        count, [&](int layer) { return std::find(layers.begin(), layers.end(), layer) != layers.end(); }, others);
  }
  return std::nullopt;
}

/// Returns kinds with full attention in one of `every` layers.
Types one_in(int count, int every, FullLayer which, const char* others) {
  const auto full = [&](int layer) {
    if (which == FullLayer::from_end) return (count - 1 - layer) % every == 0;
    return (which == FullLayer::last ? layer + 1 : layer) % every == 0;
  };
  return types_where(count, full, others);
}

/// PLaMo 2: attention in the middle layer of each `step` layers.
Types types_by_step(int count, int step) {
  const auto full = [&](int layer) { return count <= step / 2 ? layer == count - 1 : layer % step == step / 2; };
  Types types = types_where(count, full, "mamba");
  std::replace(types.begin(), types.end(), std::string(kFullAttention),
               std::string("attention"));  // all attention layers slide
  return types;
}

/// Cohere 2 MoE: number of dense layers before the first sparse one, and their period of full attention.
struct DenseLayers {
  int count = 0, every = 1;
};

DenseLayers dense_layers(const TextTower& tower) {
  DenseLayers dense;
  if (!says(tower, kSlidingAndDense)) return dense;
  const auto count = tower.section.number("first_k_dense_replace");
  if (count && count->value > 0) dense.count = static_cast<int>(std::min(count->value, 1.0 * layer_count(tower)));
  if (const auto every = tower.section.whole("prefix_dense_sliding_window_pattern")) dense.every = every->value;
  return dense;
}

/// Returns whether a layer is rotated because it is dense, although it has full attention.
bool turns_as_dense(const TextTower& tower, std::size_t layer) {
  const DenseLayers dense = dense_layers(tower);
  if (dense.every != 1) return false;
  const nlohmann::json* kinds = tower.section.find("mlp_layer_types");
  if (kinds && kinds->is_array()) return layer < kinds->size() && (*kinds)[layer] == "dense";
  return layer < static_cast<std::size_t>(dense.count);
}

/// Applies the rule of the class, with the period in the file.
Types types_by_class(const TextTower& tower, int count) {
  const Section& section = tower.section;
  const TextFamily& family = tower.family;
  int every = family.rules.full_every;
  for (const char* field : {"sliding_window_pattern", "_sliding_window_pattern", "global_attn_every_n_layers"}) {
    const nlohmann::json* pattern = section.find(field);
    if (pattern && pattern->is_string()) {
      const auto letters = pattern->get<std::string>();  // "LLLG": local and global
      if (letters.empty()) continue;
      return types_where(
          count, [&](int layer) { return letters[static_cast<std::size_t>(layer) % letters.size()] == 'G'; },
          family.rules.others);
    }
    if (const auto given = section.whole(field)) every = given->value;
  }
  const DenseLayers dense = dense_layers(tower);
  Types types = one_in(dense.count, dense.every, FullLayer::last, family.rules.others);
  const Types rest = one_in(count - dense.count, every, family.rules.full_layer, family.rules.others);
  types.insert(types.end(), rest.begin(), rest.end());
  return types;
}

/// Returns kinds that follow from a number in the file or from the class.
std::optional<Types> types_by_rule(const TextTower& tower) {
  const Section& section = tower.section;
  const int count = layer_count(tower);
  if (count == 0) return std::nullopt;
  if (const auto every = section.whole("full_attention_interval")) {
    return one_in(count, every->value, FullLayer::last, kLinearAttention);
  }
  if (const auto step = section.whole("mamba_step")) return types_by_step(count, step->value);
  const auto group = section.whole("layer_group_size");
  if (group && section.has("qk_rope_head_dim")) {
    const bool third = tower.family.rules.own == OwnCode::ling_3;
    Types types = one_in(count, group->value, FullLayer::last, third ? "kda" : "lightning-attn");
    // Ling 3: layers after the last whole group have full attention too.
    if (third) std::fill(types.begin() + count / group->value * group->value, types.end(), kFullAttention);
    return types;
  }
  const bool windowless = section.object->contains("sliding_window") && !section.has("sliding_window");
  if (tower.family.rules.full_every == 0 || (windowless && says(tower, kMixedOnly))) return std::nullopt;
  return types_by_class(tower, count);
}

/// Returns which layers are rotated according to their kinds, if no list defines it.
std::vector<bool> find_rotated_layers(const TextTower& tower, const Types& types) {
  const bool slides = std::find(types.begin(), types.end(), kSlidingAttention) != types.end();
  const bool dense = says(tower, kSlidingAndDense);
  const bool full_stand =
      dense || says(tower, kSlidingOnly) || says(tower, kFourthFromLast) || (says(tower, kMixedOnly) && slides);
  const auto parameters = tower.section.section("rope_parameters");
  const auto attention = tower.section.flag("attn_use_rope");
  const bool softmax_stands = attention && !attention->value;
  std::vector<bool> turned;
  for (std::size_t layer = 0; layer < types.size(); ++layer) {
    const std::string& type = types[layer];
    const bool stands = full_stand && type == kFullAttention && !(dense && turns_as_dense(tower, layer));
    const bool without = parameters && parameters->object->contains(type) && (*parameters->object)[type].is_null();
    turned.push_back(!stands && !without && !(softmax_stands && type == "minicpm4"));
  }
  return turned;
}

}  // namespace

std::vector<int> LayerTypes::unrotated() const {
  std::vector<int> layers;
  for (std::size_t layer = 0; layer < turned.size(); ++layer) {
    if (!turned[layer]) layers.push_back(static_cast<int>(layer));
  }
  return layers;
}

std::vector<int> LayerTypes::of_type(std::string_view type) const {
  std::vector<int> layers;
  for (std::size_t layer = 0; layer < types.size(); ++layer) {
    if (types[layer] == type) layers.push_back(static_cast<int>(layer));
  }
  return layers;
}

LayerTypes read_layer_types(const TextTower& tower) {
  const Section& section = tower.section;
  LayerTypes layers;
  std::optional<std::vector<bool>> flags;
  for (const char* field : kTurnFields) {
    if (!flags) flags = flags_of(section, field);
  }
  const auto interval = section.whole("no_rope_layer_interval");
  if (interval || section.has("no_rope_layers") || tower.family.rules.unrotated_every > 0) {
    const int own = tower.family.rules.unrotated_every > 0 ? tower.family.rules.unrotated_every : 4;
    if (!flags) layers.interval = interval ? interval->value : own;
  }
  auto types = listed_types(tower);
  if (!types) types = types_by_rule(tower);
  layers.types = types.value_or(Types{});
  const std::size_t most = kLargestDimension, count = static_cast<std::size_t>(layer_count(tower));
  const std::size_t listed = std::max(layers.types.size(), flags ? flags->size() : 0);
  // Lists also include the layers of multi-token prediction.
  const std::size_t total = std::min(listed == 0 ? count : count == 0 ? listed : std::min(count, listed), most);
  layers.types.resize(layers.types.empty() ? 0 : total);
  const std::vector<bool> by_type = find_rotated_layers(tower, layers.types);
  for (std::size_t layer = 0; layer < total; ++layer) {
    const std::string type = layers.types.empty() ? "" : layers.types[layer];
    bool turns =
        std::find(std::begin(kWithoutPositions), std::end(kWithoutPositions), type) == std::end(kWithoutPositions);
    if (flags) {
      turns = turns && (layer >= flags->size() || (*flags)[layer]);
    } else if (layers.interval > 0) {
      turns = turns && (layer + 1) % static_cast<std::size_t>(layers.interval) != 0;
    } else if (!by_type.empty()) {
      turns = turns && by_type[layer];
    }
    layers.turned.push_back(turns);
  }
  return layers;
}

}  // namespace ropescope
