// Layers without a rope by four rules, then a note for each thing that a reader must know.

#include "core/formats/config_text_notes.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/formats/config.h"
#include "core/formats/config_parts.h"
#include "core/formats/config_text_layers.h"
#include "core/words.h"

namespace ropescope {

namespace {

constexpr const char* kWindowFields[] = {"sliding_window", "sliding_window_size", "attention_window_size",
                                         "attention_chunk_size"};
/// Fields whose names look rotary and that are understood, though a file may have them where another one counts, or
/// that do not touch the frequencies.
constexpr const char* kTextUnderstood[] = {"rope_theta",
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

void note_text_window(const TextTower& tower, const TextLayers& layers, Words::List& notes) {
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
void note_text_lengths(const TextTower& tower, Words::List& notes) {
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
  const auto factor = profile.spec.extension.number("factor");
  if (tower.family.model_type != std::string_view("gemma3_text") || !layers.full) return;
  if (profile.spec.extension.method != "linear" || !factor) return;
  notes.push_back({"config_note.gemma", {{"factor", *factor}}});
}

/// "one ladder … dealt to time, height and width (16 + 24 + 24 pairs, in contiguous sections)".
void note_text_sections(const TextTower& tower, const TextLayers& layers, Words::List& notes) {
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
  const std::string sum = joined(pairs, " + ", number_text);
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

UnrotatedLayers find_unrotated_layers(const TextTower& tower) {
  if (const auto listed = listed_unrotated(tower)) return *listed;
  if (const int interval = unrotated_interval(tower); interval > 0) {
    return layers_where(layer_count(tower), [&](int layer) { return (layer + 1) % interval == 0; });
  }
  if (const auto by_type = unrotated_by_type(tower)) return *by_type;
  return unrotated_by_rule(tower).value_or(UnrotatedLayers{});
}

void mark_understood(const TextTower& tower, const Section& root) {
  for (const char* field : kTextUnderstood) {
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
  note_text_sections(tower, layers, notes);
  if (layers.rope) notes.insert(notes.end(), layers.rope->notes.begin(), layers.rope->notes.end());
  if (tower.family.note) notes.emplace_back(tower.family.note);
  if (tower.family.rotary_dim_unread && key_text(profile.origin["rotary_dim"]).find("partial") == std::string::npos) {
    notes.emplace_back("config_note.rotary_dim_unread");
  }
  if (const auto dynamic = tower.section.flag("use_dynamic_ntk"); dynamic && dynamic->value) {
    notes.emplace_back("config_note.dynamic_ntk");
  }
  note_text_window(tower, layers, notes);
  note_text_lengths(tower, notes);
  note_gemma(tower, layers, profile, notes);
  note_unrotated_layers(tower, notes);
  note_fractions(tower, layers, notes);
  note_values(tower, layers, profile, notes);
}

}  // namespace ropescope
