// What a config of a language model says, and the notes on what it does not.

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/formats/config.h"
#include "core/formats/config_parts.h"
#include "core/formats/config_text_layers.h"
#include "core/words.h"

namespace ropescope {

// --- Language models -----------------------------------------------------------------------------------------------

namespace {

constexpr const char* kFractionFields[] = {"partial_rotary_factor", "rotary_pct", "rope_pct", "rotary_emb_fraction"};
constexpr const char* kRotaryDimFields[] = {"rotary_dim", "pe_rotary_dims"};
constexpr const char* kPairingFlags[] = {"rotary_emb_interleaved", "rope_interleave", "rope_interleaved"};
/// Models of these classes that are not rotary after all.
void check_switches(const Section& section) {
  if (const auto alibi = section.flag("alibi"); alibi && alibi->value) {
    section.reject("alibi", Words("config.no_alibi"));
  }
  if (const auto rotary = section.flag("rotary"); rotary && !rotary->value) {
    section.reject("rotary", Words("config.rotary"));
  }
  if (const auto nope = section.flag("mla_use_nope"); nope && nope->value) {
    section.reject("mla_use_nope", Words("config.rotated_part"));
  }
  for (const char* field : {"use_rope", "use_rotary", "use_rotary_embeddings", "use_rotary_position_embeddings"}) {
    const nlohmann::json* rotary = section.find(field);
    if (rotary && *rotary == false) section.reject(field, Words("config.rotary"));
  }
  if (const auto original = section.flag("original_rope"); original && !original->value) {
    section.reject("original_rope", Words("config.one_dimensional"));
  }
  if (const auto pe = section.text("pe"); pe && pe->value != "rotary") section.reject("pe", as_it_is("\"rotary\""));
}

// ---- values ---------------------------------------------------------------------------------------------------------

Read<int> read_head_dim_config_text(const TextTower& tower, const TextLayers& layers) {
  const Section& section = tower.section;
  if (layers.head_field) {
    if (const auto head = section.whole(layers.head_field)) return *head;
  }
  if (layers.full && layers.name != "text") {
    if (const auto global = section.whole("global_head_dim")) return *global;
    if (tower.family.global_head_dim > 0) return {tower.family.global_head_dim, tower.default_origin};
  }
  if (const auto head = section.first_whole(kHeadDimFields)) return *head;
  if (tower.family.head_dim > 0) return {tower.family.head_dim, tower.default_origin};
  auto hidden = section.first_whole(kHiddenFields);
  auto heads = section.first_whole(kHeadFields);
  if (!hidden && tower.family.hidden_size > 0) hidden = {tower.family.hidden_size, tower.default_origin};
  if (!heads && tower.family.heads > 0) heads = {tower.family.heads, tower.default_origin};
  if (!hidden || !heads) {
    throw InputError(section.source, "config.no_head", {{"field", section.field("head_dim")}});
  }
  return head_quotient(section, *hidden, *heads);
}

/// The part of the head that turns, in the RoPE object or beside it. transformers moves the one beside it into the
/// object, over what stands there, before it computes any but the plain ladder.
std::optional<Read<double>> read_fraction(const TextTower& tower, const TextLayers& layers) {
  const Section& section = tower.section;
  if (layers.listed_fraction) return layers.listed_fraction;
  const auto in = [](const Section& place, const char* spelling) {
    const auto fraction = place.positive(spelling);
    if (fraction->value > 1) place.reject(spelling, Words("config.part_of_head"));
    return fraction;
  };
  const bool extended = layers.rope && layers.rope->type != "none";
  const bool inside = layers.rope && layers.rope->section && layers.rope->section->has(kFractionFields[0]);
  if (inside && !(extended && section.has(kFractionFields[0]))) return in(*layers.rope->section, kFractionFields[0]);
  for (const char* spelling : kFractionFields) {
    if (section.has(spelling)) return in(section, spelling);
  }
  return std::nullopt;
}

/// What Llama's rotary embedding makes of a fraction in transformers 5: nothing where the ladder is plain; frequencies
/// for a part of the head, with which it then turns the whole of it, where it is not.
void note_whole_head(const TextTower& tower, const TextLayers& layers, const Read<double>& fraction,
                     Words::List& notes) {
  const std::string method = layers.rope && layers.extended ? layers.rope->type : "none";
  if (fraction.value == 1 || method == "proportional") return;
  const Words::Named field("field", fraction.origin), value("value", fraction.value);
  if (method == "none") return notes.push_back({"config_note.whole_head", {field, value}});
  throw InputError(tower.section.source, "config.whole_head", {field, value, {"method", method}});
}

/// d = rotary_dim, else int(head_dim × fraction) as Python truncates, else the head.
Read<int> read_rotary_dim(const TextTower& tower, const TextLayers& layers, const Read<int>& head, Words::List& notes) {
  const auto fraction = read_fraction(tower, layers);
  const auto direct = tower.section.first_whole(kRotaryDimFields);
  // transformers 5 reads MiniMax's fraction alone.
  if (direct && !(fraction && tower.family.rotary_dim_unread)) return *direct;
  if (fraction && tower.family.whole_head) {
    note_whole_head(tower, layers, *fraction, notes);
    return head;
  }
  if (fraction) return {static_cast<int>(head.value * fraction->value), product_of(head.origin, fraction->origin)};
  if (tower.family.rotary_dim > 0) return {tower.family.rotary_dim, tower.default_origin};
  if (tower.family.rotary_fraction < 1) {
    return {static_cast<int>(head.value * tower.family.rotary_fraction),
            product_of(head.origin, Words("origin.number_of_class", {{"number", tower.family.rotary_fraction},
                                                                     {"class", tower.default_origin}}))};
  }
  return {head.value, head.origin};
}

/// The rotated channels of latent attention, a part of their own: head and rotary dimension at once.
std::optional<Read<int>> read_latent(const TextTower& tower, const TextLayers& layers) {
  if (!layers.latent) return std::nullopt;
  // DeepSeek-V4 as transformers saves it: a part of the whole head instead.
  const bool inside = layers.rope && layers.rope->section && layers.rope->section->has(kFractionFields[0]);
  if (tower.family.compressed_base > 0 && (inside || !tower.section.has("qk_rope_head_dim"))) {
    auto head = tower.section.whole("head_dim");
    if (!head) head = {tower.family.head_dim, tower.default_origin};
    if (const auto fraction = read_fraction(tower, layers)) {
      return Read<int>{static_cast<int>(head->value * fraction->value), product_of(head->origin, fraction->origin)};
    }
  }
  if (const auto latent = tower.section.whole("qk_rope_head_dim")) return latent;
  if (tower.family.mla_rotary_dim == 0) return std::nullopt;
  return Read<int>{tower.family.mla_rotary_dim, tower.default_origin};
}

Read<double> read_base_config_text(const TextTower& tower, const TextLayers& layers) {
  if (layers.listed_base) return *layers.listed_base;
  if (layers.base_in_rope && layers.rope && layers.rope->section) {
    if (const auto base = layers.rope->section->positive("rope_theta")) return *base;
  }
  if (const auto base = tower.section.first_positive(layers.base_fields)) return *base;
  if (const auto inner = tower.section.section("attn_config")) {  // DBRX
    if (const auto base = inner->positive("rope_theta")) return *base;
  }
  if (const auto ratio = tower.section.positive("rope_ratio")) {
    return {layers.default_base * ratio->value, product_of(layers.default_base, ratio->origin)};
  }
  return {layers.default_base, tower.default_origin};
}

/// L: original_max_position_embeddings, beside the RoPE object or in it (transformers prefers the first); else the
/// file's own length, which dynamic always takes.
std::optional<Read<double>> read_trained_length(const TextTower& tower, const std::optional<RopeObject>& rope) {
  constexpr const char* kOriginal = "original_max_position_embeddings";
  if (rope && rope->type == "dynamic") return longest_of(tower);
  if (const auto length = tower.section.positive(kOriginal)) return length;
  if (rope && rope->trained_length) return rope->trained_length;
  if (rope && rope->section) {
    if (const auto length = rope->section->positive(kOriginal)) return length;
  }
  if (tower.family.original_length > 0 && rope && rope->type == "longrope") {
    return Read<double>{tower.family.original_length, tower.default_origin};
  }
  return longest_of(tower);
}

void read_pairing(const TextTower& tower, const TextLayers& layers, Profile& profile) {
  profile.spec.pairing = layers.pairing.value_or(tower.family.pairing);
  profile.origin["pairing"] = tower.default_origin;
  if (layers.pairing) return;
  for (const char* field : kPairingFlags) {
    const auto interleaved = tower.section.flag(field);
    if (!interleaved) continue;
    profile.spec.pairing = interleaved->value ? Pairing::interleaved : Pairing::half_split;
    profile.origin["pairing"] = interleaved->origin;
    return;
  }
}

/// A factor that the file leaves out is the ratio of the lengths, longest over trained, and at least 1.
void add_missing_factor(const TextTower& tower, const TextLayers& layers, Profile& profile) {
  Extension& extension = profile.spec.extension;
  const auto longest = longest_of(tower);
  const bool takes = extension.method == "longrope" || extension.method == "yarn";
  if (!takes || extension.numbers.count("factor")) return;
  // transformers takes the ratio for a factor of null, and fails where the key is missing.
  const Section& object = *layers.rope->section;
  if (extension.method == "yarn" && !object.object->contains("factor")) {
    throw InputError(object.source, "config.no_yarn_factor", {{"field", object.field("factor")}});
  }
  if (!longest || !profile.spec.trained_length) return;
  // A model that now says less than it was trained with is not extended.
  const double factor = std::max(longest->value / *profile.spec.trained_length, 1.0);
  if (!std::isfinite(factor)) {
    throw InputError(tower.section.source, "config.no_factor",
                     {{"field", longest->origin},
                      {"length", longest->value},
                      {"trained", profile.origin["trained_length"]},
                      {"of", *profile.spec.trained_length}});
  }
  extension.numbers["factor"] = factor;
  profile.origin["extension.factor"] = quotient_of(longest->origin, profile.origin["trained_length"]);
}

/// What a class does with the object beyond what the object says.
void apply_class(const TextTower& tower, const TextLayers& layers, Profile& profile) {
  Extension& extension = profile.spec.extension;
  if (!layers.rope->section) return;
  const Section& object = *layers.rope->section;
  if (extension.method == "proportional") {
    if (const auto fraction = read_fraction(tower, layers)) {
      extension.numbers["live_fraction"] = fraction->value;
      profile.origin["extension.live_fraction"] = fraction->origin;
    }
  }
  if (extension.method == "yarn" && tower.family.yarn_amplitude > 0) {
    extension.numbers.emplace("attention_factor", tower.family.yarn_amplitude);
  }
  // Phi-3.5-MoE multiplies by its own numbers.
  const auto near = object.positive("short_mscale");
  const auto far = object.positive("long_mscale");
  if (extension.method == "longrope" && near && far) {
    extension.numbers["attention_factor"] = near->value;
    if (near->value != far->value) {
      profile.notes.push_back(
          {"config_note.far_amplitude", {{"far", far->value}, {"field", far->origin}, {"near", near->value}}});
    }
  }
  add_missing_factor(tower, layers, profile);
}

void read_extension_config_text(const TextTower& tower, const TextLayers& layers, Profile& profile) {
  profile.origin["extension"] = tower.default_origin;
  if (!layers.extended) {
    const bool compressed = tower.family.compressed_base > 0;
    profile.origin["extension"] = {compressed ? "origin.compressed_extended" : "origin.full_extended",
                                   {{"class", tower.default_origin}}};
    return;
  }
  if (!layers.rope) {
    // Nomic: the dynamic NTK of its own code.
    const auto factor = tower.section.positive("rotary_scaling_factor");
    if (!factor || tower.family.model_type != std::string_view("nomic_bert")) return;
    profile.spec.extension = {"dynamic", {{"factor", factor->value}}, {}};
    profile.origin["extension"] = factor->origin;
    check_extension_of(profile, tower.section.source, factor->origin);
    return;
  }
  profile.origin["extension"] = layers.rope->origin;
  profile.spec.extension = layers.rope->extension;
  apply_class(tower, layers, profile);
  const Words& path = layers.rope->section ? layers.rope->section->path : layers.rope->origin;
  check_extension_of(profile, tower.section.source, path);
}

/// int(128 × 0.4) = 51: transformers computes 26 frequencies b^(−2j/51) and turns 52 channels with them. The same is
/// the ladder of 52 channels with base b^(52/51), for the methods that look at each frequency alone.
void even_out(const TextTower& tower, const TextLayers& layers, RotaryAxis& axis, Profile& profile) {
  if (axis.rotary_dim % 2 == 0) return;
  const int odd = axis.rotary_dim, even = odd + 1;
  const std::string method = layers.rope && layers.extended ? layers.rope->type : "none";
  if (method != "none" && method != "linear" && method != "llama3") {
    throw InputError(tower.section.source, "config.odd",
                     {{"dimension", odd}, {"origin", profile.origin["rotary_dim"]}, {"method", method}});
  }
  axis.base = std::pow(axis.base, static_cast<double>(even) / odd);
  axis.rotary_dim = even;
  profile.origin["base"] = {"origin.power", {{"base", profile.origin["base"]}, {"even", even}, {"odd", odd}}};
  profile.notes.push_back(
      {"config_note.odd",
       {{"origin", profile.origin["rotary_dim"]}, {"odd", odd}, {"pairs", even / 2}, {"even", even}}});
}

// ---- a profile ------------------------------------------------------------------------------------------------------

Profile read_profile_config_text(const TextTower& tower, const TextLayers& layers) {
  Profile profile;
  profile.name = layers.name;
  const auto latent = read_latent(tower, layers);
  const Read<int> head = latent ? *latent : read_head_dim_config_text(tower, layers);
  Read<int> rotary = latent ? *latent : read_rotary_dim(tower, layers, head, profile.notes);
  const Read<double> base = read_base_config_text(tower, layers);
  if (base.value == 1) throw InputError(tower.section.source, "config.base_that_holds_still", {{"field", base.origin}});

  RotarySpec& spec = profile.spec;
  RotaryAxis axis;
  if (layers.rope && layers.rope->type == "proportional") rotary = head;  // its exponents run over the whole head
  axis.rotary_dim = rotary.value;
  axis.base = base.value;
  spec.head_dim = head.value;
  profile.origin["head_dim"] = head.origin;
  profile.origin["rotary_dim"] = rotary.origin;
  profile.origin["base"] = base.origin;
  if (rotary.value < head.value && is_product(rotary.origin)) even_out(tower, layers, axis, profile);
  spec.axes = {axis};
  if (const auto length = read_trained_length(tower, layers.rope)) {
    spec.trained_length = length->value;
    profile.origin["trained_length"] = length->origin;
    const auto longest = longest_of(tower);
    if (longest && longest->value > length->value) profile.context_length = longest->value;
  }
  read_pairing(tower, layers, profile);
  check_profile(profile, tower.section.source);
  read_extension_config_text(tower, layers, profile);
  if (layers.rope && layers.extended) profile.not_understood = layers.rope->not_understood;
  add_text_notes(tower, layers, profile);
  return profile;
}

/// The indexer of sparse attention: a head of its own, of which the first qk_rope_head_dim channels turn, and the
/// ladder of the attention. Pairs are halves, and neighbours where indexer_rope_interleave says so, as GLM-5's released
/// config does. Sources: huggingface/transformers deepseek_v32, vllm-project/vllm and sgl-project/sglang
/// deepseek_v2.py.
std::optional<Profile> read_indexer(const TextTower& tower, const Profile& attention) {
  const Section& section = tower.section;
  if (tower.family.indexer_head_dim == 0) return std::nullopt;
  auto head = section.whole("index_head_dim");
  if (!head) head = {tower.family.indexer_head_dim, tower.default_origin};
  Profile indexer = attention;
  indexer.name = "indexer";
  indexer.notes.clear();
  indexer.notes.emplace_back("config_note.indexer");
  indexer.spec.head_dim = head->value;
  indexer.origin["head_dim"] = head->origin;
  indexer.spec.pairing = Pairing::half_split;
  indexer.origin["pairing"] = tower.default_origin;
  if (const auto interleaved = section.flag("indexer_rope_interleave")) {
    indexer.spec.pairing = interleaved->value ? Pairing::interleaved : Pairing::half_split;
    indexer.origin["pairing"] = interleaved->origin;
  }
  check_profile(indexer, section.source);
  return indexer;
}

}  // namespace

std::vector<Profile> read_text_tower(const Section& root) {
  TextTower tower = find_text_tower(root);
  check_switches(tower.section);
  mark_understood(tower, root);
  std::vector<Profile> profiles;
  for (const TextLayers& layers : find_text_layers(tower)) profiles.push_back(read_profile_config_text(tower, layers));
  if (tower.family.model_type == std::string_view("gemma3_text")) take_pretrained_length(profiles);
  if (auto indexer = read_indexer(tower, profiles.front())) profiles.push_back(std::move(*indexer));
  return profiles;
}

// --- Notes ---------------------------------------------------------------------------------------------------------

namespace {

constexpr const char* kWindowFields[] = {"sliding_window", "sliding_window_size", "attention_window_size",
                                         "attention_chunk_size"};
/// Fields whose names look rotary and that are understood, though a file may have them where another one counts, or
/// that do not touch the frequencies.
constexpr const char* kConfigTextNotesUnderstood[] = {"rope_theta",
                                                      "rope_parameters",
                                                      "rope_scaling",
                                                      "rotary_emb_base",
                                                      "rotary_pct",
                                                      "rope_pct",
                                                      "rotary_dim",
                                                      "partial_rotary_factor",
                                                      "rotary_emb_fraction",
                                                      "qk_rope_head_dim",
                                                      "qk_nope_head_dim",
                                                      "rope_ratio",
                                                      "pe_rotary_dims",
                                                      "rotary_value",
                                                      "rope_local_base_freq",
                                                      "global_rope_theta",
                                                      "local_rope_theta",
                                                      "swa_rope_theta",
                                                      "compress_rope_theta",
                                                      "no_rope_layers",
                                                      "original_rope",
                                                      "layer_rope_theta",
                                                      "rotary_embedding_base",
                                                      "theta",
                                                      "rotary_emb_interleaved",
                                                      "rope_interleave",
                                                      "rope_interleaved",
                                                      "indexer_rope_interleave",
                                                      "partial_rotary_factors",
                                                      "yarn_only_types",
                                                      "use_rope_layers",
                                                      "mla_use_nope",
                                                      "use_rope",
                                                      "no_rope_layer_interval",
                                                      "rotary",
                                                      "rotary_emb_scale_base",
                                                      "attn_rotary_emb",
                                                      "use_mem_rope"};

/// The layers of `total` for which a rule holds.
UnrotatedLayers layers_where(int total, const std::function<bool(int layer)>& unrotated) {
  UnrotatedLayers found;
  found.total = std::min(total, static_cast<int>(kLargestDimension));
  for (int layer = 0; layer < found.total; ++layer) {
    if (unrotated(layer)) found.layers.push_back(layer);
  }
  return found;
}

int layer_count(const TextTower& tower) {
  const auto layers = tower.section.whole("num_hidden_layers");
  return layers ? layers->value : 0;
}

/// Llama 4 and SmolLM3: 1 = rotary, 0 = none for each layer; layer_rope_theta: 0 = none; Step-3.5: false = none.
std::optional<UnrotatedLayers> listed_unrotated(const TextTower& tower) {
  for (const char* field : {"no_rope_layers", "layer_rope_theta", "use_rope_layers", "attn_type_list"}) {
    const nlohmann::json* listed = tower.section.find(field);
    if (!listed || (listed->is_array() && listed->empty())) continue;
    const bool flags = listed->is_array() && std::all_of(listed->begin(), listed->end(),
                                                         [](const auto& entry) { return entry.is_boolean(); });
    if (!flags) tower.section.numbers(field);
    return layers_where(static_cast<int>(listed->size()), [&](int layer) {
      const nlohmann::json& entry = (*listed)[static_cast<std::size_t>(layer)];
      return entry == false || entry == 0;
    });
  }
  return std::nullopt;
}

/// An empty or missing no_rope_layers means every fourth; 0 for a model whose layers all turn.
int unrotated_interval(const TextTower& tower) {
  const auto given = tower.section.whole("no_rope_layer_interval");
  if (!tower.section.has("no_rope_layers") && !given && tower.family.unrotated_every == 0) return 0;
  return given ? given->value : tower.family.unrotated_every > 0 ? tower.family.unrotated_every : 4;
}

bool says(const TextTower& tower, std::string_view note) {
  return tower.family.note && note == tower.family.note;
}

/// Layers of these kinds have a state or a filter in place of positions. Sources: the layer types of
/// huggingface/transformers 5.16 (Qwen3-Next, LFM2, Bamba, RecurrentGemma, Zamba2, MiniMax).
constexpr std::string_view kWithoutPositions[] = {
    "linear_attention", "mamba", "mamba2", "ssm", "recurrent", "conv", "short_conv", "kda", "gated_deltanet",
    "lightning_indexer"};
constexpr const char* kTypeFields[] = {"layer_types", "layers_block_type", "block_types", "mixer_types"};

/// The layers whose type has no rotary embedding; none where the file lists no types. Patterns shorter than the model
/// repeat.
std::optional<UnrotatedLayers> unrotated_by_type(const TextTower& tower) {
  for (const char* field : kTypeFields) {
    const nlohmann::json* types = tower.section.find(field);
    if (!types || !types->is_array() || types->empty()) continue;
    const auto is = [&](std::string_view type) { return std::count(types->begin(), types->end(), type) > 0; };
    const bool mixed = says(tower, "config_note.mixed_only") && is("sliding_attention");
    const bool full_stand = says(tower, "config_note.sliding_only") || mixed;
    const auto attention = tower.section.flag("attn_use_rope");
    const int given = layer_count(tower), listed = static_cast<int>(types->size());
    const bool repeats = std::string_view(field) == "block_types" && given > listed;
    return layers_where(repeats ? given : listed, [&](int layer) {
      const nlohmann::json& type = (*types)[static_cast<std::size_t>(layer % listed)];
      if (full_stand && type == "full_attention") return true;
      if (attention && !attention->value && type == "minicpm4") return true;
      return std::any_of(std::begin(kWithoutPositions), std::end(kWithoutPositions),
                         [&](std::string_view without) { return type == without; });
    });
  }
  return std::nullopt;
}

/// Rules in place of lists: every n-th layer is one of full attention, and either those or the others do not turn.
std::optional<UnrotatedLayers> unrotated_by_rule(const TextTower& tower) {
  const Section& section = tower.section;
  const int count = layer_count(tower);
  if (count == 0) return std::nullopt;
  if (const auto every = section.whole("full_attention_interval")) {
    return layers_where(count, [&](int layer) { return (layer + 1) % every->value != 0; });
  }
  for (const char* field : {"attn_layer_indices", "full_attn_idxs"}) {
    const auto attention = section.numbers(field);
    if (!attention) continue;
    const auto& layers = attention->value;
    return layers_where(count,
                        [&](int layer) { return std::find(layers.begin(), layers.end(), layer) == layers.end(); });
  }
  const bool windowless = section.object->contains("sliding_window") && !section.has("sliding_window");
  const bool mixed = says(tower, "config_note.mixed_only") && !windowless;
  if (!mixed && !says(tower, "config_note.sliding_only")) return std::nullopt;
  int every = 4;
  for (const char* field : {"sliding_window_pattern", "global_attn_every_n_layers"}) {
    const nlohmann::json* pattern = section.find(field);
    if (pattern && pattern->is_string()) {
      const auto letters = pattern->get<std::string>();
      if (letters.empty()) continue;
      return layers_where(count,
                          [&](int layer) { return letters[static_cast<std::size_t>(layer) % letters.size()] == 'G'; });
    }
    if (const auto given = section.whole(field)) every = given->value;
  }
  return layers_where(count, [&](int layer) { return (layer + 1) % every == 0; });
}

void note_unrotated_layers(const TextTower& tower, Words::List& notes) {
  const UnrotatedLayers found = find_unrotated_layers(tower);
  const Words::Named count("count", found.layers.size()), layers("layers", found.total);
  const Words::Named numbers("numbers", numbers_of_layers(found.layers));
  const int interval = listed_unrotated(tower) ? 0 : unrotated_interval(tower);
  if (interval > 0 && found.total == 0) {
    notes.push_back({"config_note.one_unrotated_in", {{"interval", interval}}});
  } else if (found.layers.empty()) {
    return;
  } else if (interval > 0) {
    notes.push_back({"config_note.one_unrotated_in_of", {{"interval", interval}, count, layers, numbers}});
  } else {
    notes.push_back({"config_note.unrotated", {count, layers, numbers}});
  }
}

/// How many entries of layer_types are of a kind, and of how many.
std::pair<std::size_t, std::size_t> layers_of(const TextTower& tower, std::initializer_list<const char*> kinds) {
  const nlohmann::json* types = tower.section.find("layer_types");
  if (!types || !types->is_array()) return {0, 0};
  std::size_t count = 0;
  for (const char* kind : kinds) count += static_cast<std::size_t>(std::count(types->begin(), types->end(), kind));
  return {count, types->size()};
}

/// Positions that sliding layers see and the field that says so; none where the file sets it to null or switches it
/// off.
std::optional<Read<int>> read_window(const TextTower& tower) {
  const Section& section = tower.section;
  if (const auto switched = section.flag("use_sliding_window"); switched && !switched->value) return std::nullopt;
  for (const char* field : kWindowFields) {
    if (!section.object->contains(field)) continue;
    const nlohmann::json* value = section.find(field);
    // Null, -1 and 0 mean none; NaN means nothing and is refused.
    const bool counts = value && value->is_number() && !(value->get<double>() < 1);
    return counts ? section.whole(field) : std::nullopt;
  }
  if (const auto both = section.whole("local_attention")) return both;
  if (tower.family.window > 0) return Read<int>{tower.family.window, tower.default_origin};
  return std::nullopt;
}

void note_window_config_text_notes(const TextTower& tower, const TextLayers& layers, Words::List& notes) {
  const auto window = read_window(tower);
  const auto longest = longest_of(tower);
  if (!window || (longest && window->value >= longest->value)) return;
  const Words::Named positions("positions", window->value), field("field", window->origin);
  if (layers.name.find("sliding") != std::string::npos) {
    notes.push_back({"config_note.window_of_these", {positions, field}});
  } else if (layers.name == "text") {
    const auto [sliding, total] = layers_of(tower, {"sliding_attention", "chunked_attention"});
    if (sliding > 0) {
      notes.push_back({"config_note.window_of_some", {{"count", sliding}, {"layers", total}, positions, field}});
    } else if (total == 0) {
      notes.push_back({"config_note.window", {positions, field}});
    }
  }
}

/// A file with several lengths: the one that is taken, and what the others say.
void note_lengths_config_text_notes(const TextTower& tower, Words::List& notes) {
  const auto taken = longest_of(tower);
  if (!taken) return;
  for (const char* field : kLengthFields) {
    const auto other = tower.section.number(field);
    if (!other || other->origin == taken->origin || other->value == taken->value) continue;
    notes.push_back(
        {"config_note.lengths",
         {{"other", other->origin}, {"length", other->value}, {"taken", taken->origin}, {"trained", taken->value}}});
  }
}

/// See take_pretrained_length().
void note_gemma(const TextTower& tower, const TextLayers& layers, const Profile& profile, Words::List& notes) {
  const auto factor = profile.spec.extension.numbers.find("factor");
  if (tower.family.model_type != std::string_view("gemma3_text") || !layers.full) return;
  if (profile.spec.extension.method != "linear" || factor == profile.spec.extension.numbers.end()) return;
  notes.push_back({"config_note.gemma", {{"factor", factor->second}}});
}

/// "one ladder … dealt to time, height and width (16 + 24 + 24 pairs, in contiguous sections)".
void note_sections_config_text_notes(const TextTower& tower, const TextLayers& layers, Words::List& notes) {
  std::vector<double> pairs;
  Dealt dealt = tower.family.dealt;
  if (layers.rope && layers.rope->section) {
    const Section& object = *layers.rope->section;
    const bool four = object.has("xdrope_section");
    if (const auto listed = object.numbers(four ? "xdrope_section" : "mrope_section")) pairs = listed->value;
    if (four) dealt = Dealt::doubled;
    auto interleaved = object.flag("mrope_interleaved");
    if (!interleaved) interleaved = object.flag("interleaved");  // Qwen3-TTS
    if (interleaved && interleaved->value && dealt == Dealt::contiguous) dealt = Dealt::interleaved;
  }
  if (pairs.empty() && tower.family.sections[0] > 0) {
    pairs.assign(tower.family.sections.begin(), tower.family.sections.end());
  }
  if (pairs.empty()) return;
  std::string sum;
  for (const double count : pairs) sum += (sum.empty() ? "" : " + ") + number_text(count);
  if (dealt == Dealt::doubled) {
    const Words axes(pairs.size() == 4 ? "config_note.four_axes" : "config_note.three_axes");
    notes.push_back({"config_note.doubled_sections", {{"count", pairs.size()}, {"axes", axes}, {"pairs", sum}}});
    return;
  }
  notes.push_back({dealt == Dealt::interleaved   ? "config_note.interleaved_pairs"
                   : dealt == Dealt::alternating ? "config_note.alternating_pairs"
                                                 : "config_note.contiguous_pairs",
                   {{"pairs", sum}}});
}

/// transformers 4 reads one of two fractions, 5 the other.
void note_fractions(const TextTower& tower, const TextLayers& layers, Words::List& notes) {
  constexpr const char* kFraction = "partial_rotary_factor";
  if (!layers.rope || !layers.rope->section || tower.family.whole_head) return;
  const auto inside = layers.rope->section->number(kFraction), beside = tower.section.number(kFraction);
  if (!inside || !beside || inside->value == beside->value) return;
  const auto& taken = layers.rope->type == "none" ? inside : beside;
  notes.push_back({"config_note.fractions",
                   {{"inside", inside->origin},
                    {"fraction", inside->value},
                    {"beside", beside->origin},
                    {"other", beside->value},
                    {"taken", taken->origin}}});
}

/// A field that stands in the file twice with two values: the one that counts, and what the other says.
void note_value(const std::optional<Read<double>>& other, double value, const Words& taken, Words::List& notes) {
  if (!other || other->value == value || other->origin == taken) return;
  notes.push_back({"config_note.values",
                   {{"taken", taken}, {"value", value}, {"other", other->origin}, {"otherwise", other->value}}});
}

/// transformers takes the base inside the RoPE object before the one beside it, and the original length beside it
/// before the one inside (convert_rope_params_to_dict and standardize_rope_params, 5.16).
void note_values(const TextTower& tower, const TextLayers& layers, const Profile& profile, Words::List& notes) {
  const std::optional<Section> object = layers.rope ? layers.rope->section : std::nullopt;
  const Words& of_base = profile.origin.at("base");
  const bool from_file = object && object->has("rope_theta") && of_base == object->field("rope_theta");
  if (from_file) {
    for (const char* field : kTextBaseFields) {
      const nlohmann::json* beside = tower.section.find(field);
      if (beside && beside->is_number())
        note_value(tower.section.number(field), object->number("rope_theta")->value, of_base, notes);
    }
  }
  constexpr const char* kOriginal = "original_max_position_embeddings";
  const auto beside = tower.section.number(kOriginal);
  if (object && beside && layers.rope->type != "none" && layers.rope->type != "dynamic") {
    note_value(object->number(kOriginal), beside->value, beside->origin, notes);
  }
}

}  // namespace

Words numbers_of_layers(const std::vector<int>& layers) {
  const auto number = [](int layer) { return std::to_string(layer); };
  const std::size_t count = layers.size();
  bool even = count > 3;
  for (std::size_t i = 2; i < count; ++i) even = even && layers[i] - layers[i - 1] == layers[1] - layers[0];
  if (even && layers[1] - layers[0] > 1) {
    return as_it_is(number(layers[0]) + ", " + number(layers[1]) + ", …, " + number(layers.back()));
  }
  std::string text;
  for (std::size_t first = 0; first < count;) {
    std::size_t last = first;
    while (last + 1 < count && layers[last + 1] == layers[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + number(layers[first]);
    if (last > first) text += (last == first + 1 ? ", " : "–") + number(layers[last]);
    first = last + 1;
  }
  return as_it_is(text);
}

UnrotatedLayers find_unrotated_layers(const TextTower& tower) {
  if (const auto listed = listed_unrotated(tower)) return *listed;
  if (const int interval = unrotated_interval(tower); interval > 0) {
    return layers_where(layer_count(tower), [&](int layer) { return (layer + 1) % interval == 0; });
  }
  if (const auto by_type = unrotated_by_type(tower)) return *by_type;
  return unrotated_by_rule(tower).value_or(UnrotatedLayers{});
}

void mark_understood(const TextTower& tower, const Section& root) {
  for (const char* field : kConfigTextNotesUnderstood) {
    const nlohmann::json* inner = tower.section.find(field);
    const auto outer = root.object->find(field);
    if (!inner || outer == root.object->end() || *inner != *outer) continue;
    root.has(field);
    if (root.lookups && root.object != tower.section.object) root.lookups->told.insert(&*outer);
  }
  if (tower.family.needs.field) tower.section.has(tower.family.needs.field);
  // StableLM's first files say 1; of other classes' files it is nobody's.
  constexpr const char* kScalingFactor = "rotary_scaling_factor";
  const auto factor = tower.section.object->find(kScalingFactor);
  const bool nomic = tower.family.model_type == std::string_view("nomic_bert");
  if (factor != tower.section.object->end() && (nomic || *factor == 1)) tower.section.has(kScalingFactor);
}

void take_pretrained_length(std::vector<Profile>& profiles) {
  constexpr double kPretrained = 32768;
  const bool divided = std::any_of(profiles.begin(), profiles.end(), [](const Profile& profile) {
    return profile.spec.extension.method == "linear" && profile.spec.trained_length.value_or(0) > kPretrained;
  });
  if (!divided) return;
  for (Profile& profile : profiles) {
    profile.context_length = std::exchange(profile.spec.trained_length, kPretrained);
    profile.origin["trained_length"] = as_it_is("arXiv 2503.19786");
  }
}

std::optional<Read<double>> longest_of(const TextTower& tower) {
  if (const auto length = tower.section.first_positive(kLengthFields)) return length;
  if (tower.family.length > 0) return Read<double>{tower.family.length, tower.default_origin};
  return std::nullopt;
}

void add_text_notes(const TextTower& tower, const TextLayers& layers, Profile& profile) {
  auto& notes = profile.notes;
  if (tower.nested) notes.push_back({"config_note.nested", {{"path", tower.section.path}}});
  if (tower.architecture) {
    notes.push_back({"config_note.by_architecture",
                     {{"class", in_quotes(tower.architecture->value)}, {"type", tower.family.model_type}}});
  } else if (!tower.known) {
    notes.emplace_back(tower.section.has("model_type") ? "config_note.unknown_type" : "config_note.no_type");
  }
  const bool latent = key_text(profile.origin["head_dim"]).find("qk_rope_head_dim") != std::string::npos;
  if (latent || tower.family.mla_rotary_dim > 0) notes.emplace_back("config_note.latent_attention");
  notes.insert(notes.end(), layers.notes.begin(), layers.notes.end());
  note_sections_config_text_notes(tower, layers, notes);
  if (layers.rope) notes.insert(notes.end(), layers.rope->notes.begin(), layers.rope->notes.end());
  if (tower.family.note) notes.emplace_back(tower.family.note);
  if (tower.family.rotary_dim_unread && key_text(profile.origin["rotary_dim"]).find("partial") == std::string::npos) {
    notes.emplace_back("config_note.rotary_dim_unread");
  }
  if (const auto dynamic = tower.section.flag("use_dynamic_ntk"); dynamic && dynamic->value) {
    notes.emplace_back("config_note.dynamic_ntk");
  }
  note_window_config_text_notes(tower, layers, notes);
  note_lengths_config_text_notes(tower, notes);
  note_gemma(tower, layers, profile, notes);
  note_unrotated_layers(tower, notes);
  note_fractions(tower, layers, notes);
  note_values(tower, layers, profile, notes);
}

}  // namespace ropescope
