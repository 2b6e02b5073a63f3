#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/formats/config_text_layers.h"
#include "core/formats/config_towers.h"
#include "core/number_text.h"

namespace ropescope {

namespace {

constexpr const char* kWindowFields[] = {"sliding_window", "sliding_window_size", "attention_window_size",
                                         "attention_chunk_size"};
/// Fields whose names look rotary and that are understood, though a file may have them where another one counts, or
/// that do not touch the frequencies.
constexpr const char* kUnderstood[] = {"rope_theta",
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
                                       "no_rope_layer_interval",
                                       "rotary",
                                       "rotary_emb_scale_base",
                                       "attn_rotary_emb",
                                       "use_mem_rope"};

/// Llama 4 and SmolLM3: 1 = rotary, 0 = none for each layer; an empty or missing list means every fourth has none.
/// layer_rope_theta: 0 = none.
void note_unrotated_layers(const TextTower& tower, Words::List& notes) {
  for (const char* field : {"no_rope_layers", "layer_rope_theta"}) {
    const auto listed = tower.section.numbers(field);
    if (!listed || listed->value.empty()) continue;
    const auto without = std::count(listed->value.begin(), listed->value.end(), 0.0);
    if (without > 0) {
      notes.push_back({"config_note.unrotated", {{"count", without}, {"layers", listed->value.size()}}});
    }
    return;
  }
  if (!tower.section.has("no_rope_layers") && tower.family.unrotated_every == 0) return;
  const auto given = tower.section.whole("no_rope_layer_interval");
  const int interval = given ? given->value : tower.family.unrotated_every > 0 ? tower.family.unrotated_every : 4;
  const auto layers = tower.section.whole("num_hidden_layers");
  if (!layers) return notes.push_back({"config_note.one_unrotated_in", {{"interval", interval}}});
  notes.push_back({"config_note.one_unrotated_in_of",
                   {{"interval", interval}, {"count", layers->value / interval}, {"layers", layers->value}}});
}

/// How many entries of layer_types are of a kind, and of how many.
std::pair<std::size_t, std::size_t> layers_of(const TextTower& tower, std::initializer_list<const char*> kinds) {
  const nlohmann::json* types = tower.section.find("layer_types");
  if (!types || !types->is_array()) return {0, 0};
  std::size_t count = 0;
  for (const char* kind : kinds) count += static_cast<std::size_t>(std::count(types->begin(), types->end(), kind));
  return {count, types->size()};
}

void note_linear_layers(const TextTower& tower, Words::List& notes) {
  const auto [without, total] = layers_of(tower, {"linear_attention"});
  if (without > 0) notes.push_back({"config_note.linear_attention", {{"count", without}, {"layers", total}}});
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

void note_window(const TextTower& tower, const TextLayers& layers, Words::List& notes) {
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
void note_lengths(const TextTower& tower, Words::List& notes) {
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
void note_sections(const TextTower& tower, const TextLayers& layers, Words::List& notes) {
  std::vector<double> pairs;
  Dealt dealt = tower.family.dealt;
  if (layers.rope && layers.rope->section) {
    const Section& object = *layers.rope->section;
    const bool four = object.has("xdrope_section");
    if (const auto listed = object.numbers(four ? "xdrope_section" : "mrope_section")) pairs = listed->value;
    if (four) dealt = Dealt::doubled;
    const auto interleaved = object.flag("mrope_interleaved");
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

}  // namespace

void mark_understood(const TextTower& tower, const Section& root) {
  for (const char* field : kUnderstood) {
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
  if (!tower.known) {
    notes.emplace_back(tower.section.has("model_type") ? "config_note.unknown_type" : "config_note.no_type");
  }
  const bool latent = key_text(profile.origin["head_dim"]).find("qk_rope_head_dim") != std::string::npos;
  if (latent || tower.family.mla_rotary_dim > 0) notes.emplace_back("config_note.latent_attention");
  notes.insert(notes.end(), layers.notes.begin(), layers.notes.end());
  note_sections(tower, layers, notes);
  if (layers.rope) notes.insert(notes.end(), layers.rope->notes.begin(), layers.rope->notes.end());
  if (tower.family.note) notes.emplace_back(tower.family.note);
  if (tower.family.rotary_dim_unread && key_text(profile.origin["rotary_dim"]).find("partial") == std::string::npos) {
    notes.emplace_back("config_note.rotary_dim_unread");
  }
  if (const auto dynamic = tower.section.flag("use_dynamic_ntk"); dynamic && dynamic->value) {
    notes.emplace_back("config_note.dynamic_ntk");
  }
  note_window(tower, layers, notes);
  note_lengths(tower, notes);
  note_gemma(tower, layers, profile, notes);
  note_unrotated_layers(tower, notes);
  note_linear_layers(tower, notes);
  note_fractions(tower, layers, notes);
}

}  // namespace ropescope
