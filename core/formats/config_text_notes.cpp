#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/formats/config_text_layers.h"
#include "core/number_text.h"

namespace ropescope {

namespace {

constexpr const char* kWindowFields[] = {"sliding_window", "sliding_window_size", "attention_window_size",
                                         "attention_chunk_size"};
/// Fields whose names look rotary and that are read, here or for a layout, or that do not touch the frequencies.
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
                                       "use_scaled_rope",
                                       "rotary_emb_scale_base",
                                       "attn_rotary_emb",
                                       "use_mem_rope"};

constexpr const char* kScalingFactor = "rotary_scaling_factor";

std::string layers_note(std::size_t without, std::size_t total) {
  return std::to_string(without) + " of " + std::to_string(total) + " layers have no rotary embedding.";
}

/// Llama 4 and SmolLM3: 1 = rotary, 0 = none for each layer; an empty or missing list means every fourth has none.
/// layer_rope_theta: 0 = none.
void note_unrotated_layers(const TextTower& tower, std::vector<std::string>& notes) {
  for (const char* field : {"no_rope_layers", "layer_rope_theta"}) {
    const auto listed = tower.section.numbers(field);
    if (!listed || listed->value.empty()) continue;
    const auto without = std::count(listed->value.begin(), listed->value.end(), 0.0);
    if (without > 0) notes.push_back(layers_note(static_cast<std::size_t>(without), listed->value.size()));
    return;
  }
  if (!tower.section.has("no_rope_layers") && tower.family.unrotated_every == 0) return;
  const auto given = tower.section.whole("no_rope_layer_interval");
  const int interval = given ? given->value : tower.family.unrotated_every > 0 ? tower.family.unrotated_every : 4;
  const auto layers = tower.section.whole("num_hidden_layers");
  notes.emplace_back(
      "One layer in " + std::to_string(interval) + " has no rotary embedding" +
      (layers ? " (" + std::to_string(layers->value / interval) + " of " + std::to_string(layers->value) + ")." : "."));
}

/// How many entries of layer_types are of a kind, and of how many.
std::pair<std::size_t, std::size_t> layers_of(const TextTower& tower, std::initializer_list<const char*> kinds) {
  const nlohmann::json* types = tower.section.find("layer_types");
  if (!types || !types->is_array()) return {0, 0};
  std::size_t count = 0;
  for (const char* kind : kinds) count += static_cast<std::size_t>(std::count(types->begin(), types->end(), kind));
  return {count, types->size()};
}

void note_linear_layers(const TextTower& tower, std::vector<std::string>& notes) {
  const auto [without, total] = layers_of(tower, {"linear_attention"});
  if (without > 0) notes.emplace_back("Linear attention: " + layers_note(without, total));
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

void note_window(const TextTower& tower, const TextLayers& layers, std::vector<std::string>& notes) {
  const auto window = read_window(tower);
  const auto longest = longest_of(tower);
  if (!window || (longest && window->value >= longest->value)) return;
  const std::string sees = " see " + std::to_string(window->value) + " positions (" + window->origin +
                           "): larger distances do not occur in them.";
  if (layers.name.find("sliding") != std::string::npos) {
    notes.emplace_back("These layers" + sees);
  } else if (layers.name == "text") {
    const auto [sliding, total] = layers_of(tower, {"sliding_attention", "chunked_attention"});
    if (sliding > 0) {
      notes.push_back(std::to_string(sliding) + " of " + std::to_string(total) + " layers" + sees);
    } else if (total == 0) {
      notes.emplace_back("Layers with a sliding window" + sees);
    }
  }
}

/// A file with several lengths: the one that is taken, and what the others say.
void note_lengths(const TextTower& tower, std::vector<std::string>& notes) {
  const auto taken = longest_of(tower);
  if (!taken) return;
  for (const char* field : kLengthFields) {
    const auto other = tower.section.number(field);
    if (!other || other->origin == taken->origin || other->value == taken->value) continue;
    notes.push_back(other->origin + " is " + number_text(other->value) + ", " + taken->origin + " " +
                    number_text(taken->value) + ": the second is taken as the trained length.");
  }
}

/// Gemma 3's report: pretrained with sequences of 32 768 positions, then the full-attention layers divided by 8.
void note_gemma(const TextTower& tower, const TextLayers& layers, const Profile& profile,
                std::vector<std::string>& notes) {
  const auto factor = profile.spec.extension.numbers.find("factor");
  if (tower.family.model_type != std::string_view("gemma3_text") || !layers.full) return;
  if (profile.spec.extension.method != "linear" || factor == profile.spec.extension.numbers.end()) return;
  notes.emplace_back(
      "The trained length is the one after the extension: Gemma 3 was pretrained with sequences of 32768 "
      "positions, and the factor " +
      number_text(factor->second) + " was applied on top (Gemma 3 technical report).");
}

/// "one ladder … dealt to time, height and width (16 + 24 + 24 pairs, in contiguous sections)".
void note_sections(const TextTower& tower, const TextLayers& layers, std::vector<std::string>& notes) {
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
    notes.emplace_back(
        "XD-RoPE: this one ladder is dealt to " + std::to_string(pairs.size()) + " position axes (" +
        (pairs.size() == 4 ? "position, width, height, image" : "width, height, image") + ": " + sum +
        " pairs); the positions of a text token are equal on all. transformers cuts the doubled table instead, so that "
        "the two channels of a pair take different axes.");
    return;
  }
  const char* how = dealt == Dealt::interleaved   ? "interleaved"
                    : dealt == Dealt::alternating ? "height and width by turns, then time"
                                                  : "in contiguous sections";
  const char* axes = dealt == Dealt::alternating ? "height, width and time (" : "time, height and width (";
  notes.emplace_back("M-RoPE: the pairs of this one ladder are dealt to " + std::string(axes) + sum + " pairs, " + how +
                     "); the three positions of a text token are equal.");
}

/// A field that looks rotary and that nobody read is said, not passed over.
void note_unread_fields(const TextTower& tower, std::vector<std::string>& notes) {
  constexpr const char* kLooks[] = {"rope", "rotary", "theta"};
  for (const auto& [key, value] : tower.section.object->items()) {
    const auto looks = [&key = key](const char* part) { return key.find(part) != std::string::npos; };
    if (value.is_null() || std::none_of(std::begin(kLooks), std::end(kLooks), looks)) continue;
    if (std::find(std::begin(kUnderstood), std::end(kUnderstood), key) != std::end(kUnderstood)) continue;
    if (tower.family.needs.field && key == tower.family.needs.field) continue;
    const bool nomic = tower.family.model_type == std::string_view("nomic_bert");
    if (key == kScalingFactor && (nomic || value == 1)) continue;  // StableLM's first files say 1
    notes.emplace_back("The field " + in_quotes(tower.section.field(key)) +
                       " looks rotary and is not understood here.");
  }
}

}  // namespace

std::optional<Read<double>> longest_of(const TextTower& tower) {
  if (const auto length = tower.section.first_positive(kLengthFields)) return length;
  if (tower.family.length > 0) return Read<double>{tower.family.length, tower.default_origin};
  return std::nullopt;
}

void add_text_notes(const TextTower& tower, const TextLayers& layers, Profile& profile) {
  auto& notes = profile.notes;
  if (!tower.known) {
    notes.push_back(tower.section.has("model_type") ? "This model_type is not known here: half-split pairs are assumed."
                                                    : "The file names no model_type: half-split pairs are assumed.");
  }
  if (profile.origin["head_dim"].find("qk_rope_head_dim") != std::string::npos || tower.family.mla_rotary_dim > 0) {
    notes.emplace_back(
        "Latent attention: head_dim counts the rotated part of a head only; its other channels know no position.");
  }
  notes.insert(notes.end(), layers.notes.begin(), layers.notes.end());
  note_sections(tower, layers, notes);
  if (layers.rope) notes.insert(notes.end(), layers.rope->notes.begin(), layers.rope->notes.end());
  if (tower.family.note) notes.push_back(tower.family.note);
  if (const auto dynamic = tower.section.flag("use_dynamic_ntk"); dynamic && dynamic->value) {
    notes.emplace_back("use_dynamic_ntk asks for Qwen's own dynamic NTK beyond the trained length; it is not applied.");
  }
  if (const auto scaled = tower.section.flag("use_scaled_rope"); scaled && scaled->value) {
    notes.emplace_back("use_scaled_rope asks for an extension whose numbers are not in the file.");
  }
  note_window(tower, layers, notes);
  note_lengths(tower, notes);
  note_gemma(tower, layers, profile, notes);
  note_unrotated_layers(tower, notes);
  note_linear_layers(tower, notes);
  note_unread_fields(tower, notes);
}

}  // namespace ropescope
