// Notes of a language model's config: lengths, windows, then each note. Read config_text_notes.h first.

#include <algorithm>
#include <numeric>

#include "core/formats/config.h"
#include "core/formats/families/config_parts.h"
#include "core/formats/families/config_text.h"
#include "core/formats/nlohmann.h"
#include "core/message.h"

namespace ropescope {

namespace {

void note_unrotated_layers(const LayerTypes& layers, Message::List& notes) {
  const std::vector<int> unrotated = layers.unrotated();
  const Message::Named count("count", unrotated.size()), total("layers", layers.turned.size());
  const Message::Named numbers("numbers", numbers_of_layers(unrotated));
  if (layers.interval > 0 && layers.turned.empty()) {
    notes.push_back({"config_note.one_unrotated_in", {{"interval", layers.interval}}});
  } else if (unrotated.empty()) {
    return;
  } else if (layers.interval > 0) {
    notes.push_back({"config_note.one_unrotated_in_of", {{"interval", layers.interval}, count, total, numbers}});
  } else {
    notes.push_back({"config_note.unrotated", {count, total, numbers}});
  }
}

/// Notes which layers a profile describes, if there are several profiles.
void note_numbers(const TextLayers& layers, Message::List& notes) {
  if (layers.total == 0) return;
  const Message::Named profile("profile", layers.name), total("layers", layers.total);
  if (layers.numbers.empty()) {
    notes.push_back({"config_note.no_layers_of", {profile, total}});
  } else {
    notes.push_back(
        {"config_note.layers_of",
         {profile, {"count", layers.numbers.size()}, total, {"numbers", numbers_of_layers(layers.numbers)}}});
  }
}

/// Reads the window of sliding layers, in positions, and its field; nullopt if the file sets it to null or disables it.
std::optional<Read<int>> read_window(const TextTower& tower) {
  const Section& section = tower.section;
  if (const auto switched = section.flag("use_sliding_window"); switched && !switched->value) return std::nullopt;
  for (const char* field : names_of(FieldMeaning::window)) {
    if (!section.object->contains(field)) continue;
    const nlohmann::json* value = section.find(field);
    // Null, -1 and 0 disable the window; NaN is invalid and rejected.
    const bool counts = value && value->is_number() && !(value->get<double>() < 1);
    return counts ? section.whole(field) : std::nullopt;
  }
  if (const auto both = section.whole("local_attention")) return both;
  if (tower.family.window > 0) return Read<int>{tower.family.window, tower.default_origin};
  return std::nullopt;
}

/// Returns whether half of the window is before a token, half after it: the encoders ModernBERT (local_attention // 2
/// on each side) and Gemma 3 (less than sliding_window // 2 + 1). Source: huggingface/transformers 5.16.
bool attends_both_ways(const TextTower& tower) {
  const nlohmann::json* both = tower.section.find("use_bidirectional_attention");
  return std::string_view(tower.family.model_type) == "modernbert" || (both && *both == true);
}
/// Returns whether the model is ModernBERT's decoder: only half of its window counts, all of it before a token.
bool attends_half_back(const TextTower& tower) {
  return std::string_view(tower.family.model_type) == "modernbert-decoder";
}

void note_text_window(const TextTower& tower, const TextLayers& layers, const LayerTypes& all, Message::List& notes) {
  const auto window = read_window(tower);
  const auto longest = longest_of(tower);
  if (!window || (longest && window->value >= longest->value)) return;
  const Message::Named positions("positions", window->value), field("field", window->origin);
  if (layers.name.find("sliding") != std::string::npos && attends_both_ways(tower)) {
    notes.push_back({"config_note.window_each_side", {{"positions", window->value / 2}, field}});
  } else if (layers.name.find("sliding") != std::string::npos && attends_half_back(tower)) {
    notes.push_back({"config_note.window_half", {{"positions", window->value / 2}, field}});
  } else if (layers.name.find("sliding") != std::string::npos) {
    notes.push_back({"config_note.window_of_these", {positions, field}});
  } else if (layers.name == "text" && window->origin == tower.section.field("attention_chunk_size")) {
    notes.push_back({"config_note.chunk", {positions, field}});
  } else if (layers.name == "text") {
    std::vector<int> sliding = all.of_type("sliding_attention");
    if (sliding.empty()) sliding = all.of_type("chunked_attention");
    if (!sliding.empty()) {
      notes.push_back({"config_note.window_of_some",
                       {{"count", sliding.size()},
                        {"layers", all.types.size()},
                        positions,
                        field,
                        {"numbers", numbers_of_layers(sliding)}}});
    } else if (all.of_type("full_attention").empty()) {
      notes.push_back({"config_note.window", {positions, field}});
    }
  }
}

/// Notes several lengths in a file: the one in use and the others.
void note_text_lengths(const TextTower& tower, Message::List& notes) {
  const auto taken = longest_of(tower);
  if (!taken) return;
  for (const char* field : names_of(FieldMeaning::length)) {
    const auto other = tower.section.number(field);
    if (!other || other->origin == taken->origin || other->value == taken->value) continue;
    notes.push_back(
        {"config_note.lengths",
         {{"other", other->origin}, {"length", other->value}, {"taken", taken->origin}, {"trained", taken->value}}});
  }
}

/// Notes Gemma 3's pretrained length; see take_pretrained_length().
void note_gemma(const TextTower& tower, const TextLayers& layers, const Profile& profile, Message::List& notes) {
  const auto factor = profile.spec.extension.number("factor");
  if (tower.family.model_type != std::string_view("gemma3_text") || !layers.full) return;
  if (profile.spec.extension.method != "linear" || !factor) return;
  notes.push_back({"config_note.gemma", {{"factor", *factor}}});
}

/// Reads the sections of M-RoPE's single ladder and their order: from the RoPE object, next to it, or from the class.
void read_text_sections(const TextTower& tower, const TextLayers& layers, Profile& profile) {
  std::vector<double> pairs;
  PairAssignment dealt = tower.family.dealt;
  const auto read = [&](const Section& place) {
    const bool four = place.has("xdrope_section");
    if (const auto listed = place.numbers(four ? "xdrope_section" : "mrope_section")) pairs = listed->value;
    if (four) dealt = PairAssignment::doubled;
    auto interleaved = place.flag("mrope_interleaved");
    if (!interleaved) interleaved = place.flag("interleaved");  // Qwen3-TTS
    if (interleaved && interleaved->value && dealt == PairAssignment::contiguous) dealt = PairAssignment::interleaved;
  };
  if (layers.rope && layers.rope->section) read(*layers.rope->section);
  if (pairs.empty()) read(tower.section);
  if (pairs.empty() && tower.root) read(*tower.root);
  if (pairs.empty() && tower.family.sections[0] > 0) {
    pairs.assign(tower.family.sections.begin(), tower.family.sections.end());
  }
  if (pairs.empty()) return;
  profile.sections = pairs;
  profile.dealt = dealt;
  const std::string sum = joined(pairs, " + ", number_text);
  const double all = std::accumulate(pairs.begin(), pairs.end(), 0.0);
  if (dealt == PairAssignment::doubled) {
    const Message axes(pairs.size() == 4 ? "config_note.four_axes" : "config_note.three_axes");
    profile.notes.push_back(
        {"config_note.doubled_sections", {{"count", pairs.size()}, {"axes", axes}, {"pairs", sum}}});
  } else {
    profile.notes.push_back({dealt == PairAssignment::interleaved   ? "config_note.interleaved_pairs"
                             : dealt == PairAssignment::alternating ? "config_note.alternating_pairs"
                                                                    : "config_note.contiguous_pairs",
                             {{"pairs", sum}}});
  }
  const int due = total_rotary_dim(profile.spec) / 2;
  if (all != due) {
    profile.notes.push_back({"config_note.sections_of_other_sum", {{"pairs", sum}, {"sum", all}, {"due", due}}});
  }
}

/// Notes two different fractions: transformers 4 reads one, 5 the other.
void note_fractions(const TextTower& tower, const TextLayers& layers, Message::List& notes) {
  if (!layers.rope || !layers.rope->section || tower.family.whole_head) return;
  if (layers.rope->section->path == tower.section.field("swa_rope_parameters"))
    return;  // the fraction next to it is for other layers
  const auto inside = layers.rope->section->number(kFractionField), beside = tower.section.number(kFractionField);
  if (!inside || !beside || inside->value == beside->value) return;
  const auto& taken = layers.rope->type == "none" ? inside : beside;
  notes.push_back({"config_note.fractions",
                   {{"inside", inside->origin},
                    {"fraction", inside->value},
                    {"beside", beside->origin},
                    {"other", beside->value},
                    {"taken", taken->origin}}});
}

/// Notes a field that the file has twice with different values: the one in use and the other.
void note_value(const std::optional<Read<double>>& other, double value, const Message& taken, Message::List& notes) {
  if (!other || other->value == value || other->origin == taken) return;
  notes.push_back({"config_note.values",
                   {{"taken", taken}, {"value", value}, {"other", other->origin}, {"otherwise", other->value}}});
}

/// Notes contradicting values. transformers prefers the base inside the RoPE object, but the original length outside it
/// (convert_rope_params_to_dict and standardize_rope_params, 5.16).
void note_values(const TextTower& tower, const TextLayers& layers, const Profile& profile, Message::List& notes) {
  const std::optional<Section> object = layers.rope ? layers.rope->section : std::nullopt;
  const Message& of_base = profile.origin.at("base");
  const bool from_file = object && object->has("rope_theta") && of_base == object->field("rope_theta");
  if (from_file) {
    for (const char* field : layers.base_fields) {
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

void mark_understood(const TextTower& tower, const Section& root) {
  for (const char* field : all_field_names()) {
    const nlohmann::json* inner = tower.section.find(field);
    const auto outer = root.object->find(field);
    if (!inner || outer == root.object->end() || *inner != *outer) continue;
    root.has(field);
    if (root.lookups && root.object != tower.section.object) root.lookups->told.insert(&*outer);
  }
  if (tower.family.needs.field) tower.section.has(tower.family.needs.field);
  const nlohmann::json* mpt = tower.section.find("attn_config");
  if (mpt && mpt->is_object()) {
    for (const char* field : {"rope", "rope_impl"}) tower.section.section("attn_config")->has(field);
  }
  // StableLM's first files and Phi-3 small have the value 1; other classes do not read the field.
  const bool nomic = tower.family.model_type == std::string_view("nomic_bert");
  for (const char* scale : {"rotary_scaling_factor", "rope_position_scale"}) {
    const auto factor = tower.section.object->find(scale);
    if (factor != tower.section.object->end() && (nomic || *factor == 1)) tower.section.has(scale);
  }
}

std::optional<Read<double>> longest_of(const TextTower& tower) {
  if (const auto length = tower.section.first_positive(names_of(FieldMeaning::length))) return length;
  if (tower.family.length > 0) return Read<double>{tower.family.length, tower.default_origin};
  return std::nullopt;
}

void add_text_notes(const TextTower& tower, const TextLayers& layers, Profile& profile) {
  auto& notes = profile.notes;
  if (tower.nested) notes.push_back({"config_note.nested", {{"path", tower.section.path}}});
  if (!tower.relative.empty()) {
    notes.push_back(
        {"config_note.relative", {{"type", in_quotes(tower.relative)}, {"family", tower.family.model_type}}});
  }
  if (!tower.contradicted.empty()) {
    notes.push_back({"config_note.contradicted", {{"type", in_quotes(tower.contradicted)}}});
  }
  if (tower.architecture) {
    notes.push_back({"config_note.by_architecture",
                     {{"class", in_quotes(tower.architecture->value)}, {"type", tower.family.model_type}}});
  } else if (!tower.known) {
    notes.emplace_back(tower.section.has("model_type") ? "config_note.unknown_type" : "config_note.no_type");
  }
  const bool latent = debug_text(profile.origin["head_dim"]).find("qk_rope_head_dim") != std::string::npos;
  if (latent || (tower.family.mla_rotary_dim > 0 && layers.latent)) notes.emplace_back("config_note.latent_attention");
  notes.insert(notes.end(), layers.notes.begin(), layers.notes.end());
  read_text_sections(tower, layers, profile);
  if (layers.rope && layers.rope->section) {
    if (const auto beta = layers.rope->section->number("llama_4_scaling_beta")) profile.query_beta = beta->value;
  }
  if (layers.rope) notes.insert(notes.end(), layers.rope->notes.begin(), layers.rope->notes.end());
  if (tower.family.note) notes.emplace_back(tower.family.note);
  const bool unread = tower.family.rotary_dim_unread ||
                      (tower.family.model_type == std::string_view("minimax") && tower.section.has("rotary_dim"));
  if (unread && debug_text(profile.origin["rotary_dim"]).find("partial") == std::string::npos) {
    notes.emplace_back("config_note.rotary_dim_unread");
  }
  const LayerTypes all = read_layer_types(tower);
  note_numbers(layers, notes);
  note_text_window(tower, layers, all, notes);
  note_text_lengths(tower, notes);
  note_gemma(tower, layers, profile, notes);
  note_unrotated_layers(all, notes);
  note_fractions(tower, layers, notes);
  note_values(tower, layers, profile, notes);
}

}  // namespace ropescope
