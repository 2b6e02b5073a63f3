#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/formats/config_text_layers.h"
#include "core/formats/config_towers.h"
#include "core/number_text.h"

namespace ropescope {

namespace {

constexpr const char* kFractionFields[] = {"partial_rotary_factor", "rotary_pct", "rope_pct", "rotary_emb_fraction"};
constexpr const char* kRotaryDimFields[] = {"rotary_dim", "pe_rotary_dims"};
constexpr const char* kPairingFlags[] = {"rotary_emb_interleaved", "rope_interleave", "rope_interleaved"};
constexpr const char* kLengthFields[] = {
    "max_position_embeddings", "n_positions",           "seq_length",  "seq",
    "max_sequence_length",     "max_trained_positions", "max_seq_len", "model_max_length"};

/// Models of these classes that are not rotary after all.
void check_switches(const Section& section) {
  if (const auto alibi = section.flag("alibi"); alibi && alibi->value) {
    section.reject("alibi", "a rotary model (ALiBi has no rotary embedding): false");
  }
  if (const auto rotary = section.flag("rotary"); rotary && !rotary->value) {
    section.reject("rotary", "a rotary model: true");
  }
  if (const auto original = section.flag("original_rope"); original && !original->value) {
    section.reject("original_rope", "true (the two-dimensional variant is not supported)");
  }
  if (const auto pe = section.text("pe"); pe && pe->value != "rotary") section.reject("pe", "\"rotary\"");
}

// ---- values ---------------------------------------------------------------------------------------------------------

Read<int> read_head_dim(const TextTower& tower, const TextLayers& layers) {
  const Section& section = tower.section;
  if (layers.full && layers.name != "text") {
    if (const auto global = section.whole("global_head_dim")) return *global;
  }
  if (const auto head = section.first_whole(kHeadDimFields)) return *head;
  if (tower.family.head_dim > 0) return {tower.family.head_dim, tower.default_origin};
  auto hidden = section.first_whole(kHiddenFields);
  auto heads = section.first_whole(kHeadFields);
  if (!hidden && tower.family.hidden_size > 0) hidden = {tower.family.hidden_size, tower.default_origin};
  if (!heads && tower.family.heads > 0) heads = {tower.family.heads, tower.default_origin};
  if (!hidden || !heads) {
    throw InputError(section.source + ": the head dimension is missing; expected " + section.field("head_dim") +
                     ", or hidden_size with num_attention_heads");
  }
  return head_quotient(section, *hidden, *heads);
}

/// d = rotary_dim, else int(head_dim × fraction) as Python truncates, else the head.
Read<int> read_rotary_dim(const TextTower& tower, const TextLayers& layers, const Read<int>& head) {
  const Section& section = tower.section;
  if (const auto direct = section.first_whole(kRotaryDimFields)) return *direct;
  std::optional<Read<double>> fraction;
  const Section* place = &section;
  const char* spelling = nullptr;
  if (layers.rope && layers.rope->section && layers.rope->section->has(kFractionFields[0])) {
    place = &*layers.rope->section;
    spelling = kFractionFields[0];
  } else {
    const auto found = std::find_if(std::begin(kFractionFields), std::end(kFractionFields),
                                    [&](const char* field) { return section.has(field); });
    if (found != std::end(kFractionFields)) spelling = *found;
  }
  if (spelling) {
    fraction = place->positive(spelling);
    if (fraction->value > 1) place->reject(spelling, "a part of the head above 0 and at most 1");
    const int rotary_dim = static_cast<int>(head.value * fraction->value);
    return {rotary_dim, head.origin + " * " + fraction->origin};
  }
  if (tower.family.rotary_dim > 0) return {tower.family.rotary_dim, tower.default_origin};
  if (tower.family.rotary_fraction < 1) {
    return {static_cast<int>(head.value * tower.family.rotary_fraction),
            head.origin + " * " + number_text(tower.family.rotary_fraction) + " (" + tower.default_origin + ")"};
  }
  return {head.value, head.origin};
}

Read<double> read_base(const TextTower& tower, const TextLayers& layers) {
  if (layers.base_in_rope && layers.rope && layers.rope->section) {
    if (const auto base = layers.rope->section->positive("rope_theta")) return *base;
  }
  if (const auto base = tower.section.first_positive(layers.base_fields)) return *base;
  if (const auto ratio = tower.section.positive("rope_ratio")) {
    return {layers.default_base * ratio->value, number_text(layers.default_base) + " * " + ratio->origin};
  }
  return {layers.default_base, tower.default_origin};
}

/// The length that the file calls its own (not the original one).
std::optional<Read<double>> read_longest(const TextTower& tower) {
  if (const auto length = tower.section.first_positive(kLengthFields)) return length;
  if (tower.family.length > 0) return Read<double>{tower.family.length, tower.default_origin};
  return std::nullopt;
}

/// L: original_max_position_embeddings, in or beside the RoPE object; else the file's own length, which dynamic always
/// takes.
std::optional<Read<double>> read_trained_length(const TextTower& tower, const std::optional<RopeObject>& rope) {
  constexpr const char* kOriginal = "original_max_position_embeddings";
  if (rope && rope->type == "dynamic") return read_longest(tower);
  if (rope && rope->section) {
    if (const auto length = rope->section->positive(kOriginal)) return length;
  }
  if (const auto length = tower.section.positive(kOriginal)) return length;
  return read_longest(tower);
}

void read_pairing(const TextTower& tower, Profile& profile) {
  profile.spec.pairing = tower.family.pairing;
  profile.origin["pairing"] = tower.default_origin;
  for (const char* field : kPairingFlags) {
    const auto interleaved = tower.section.flag(field);
    if (!interleaved) continue;
    profile.spec.pairing = interleaved->value ? Pairing::interleaved : Pairing::half_split;
    profile.origin["pairing"] = interleaved->origin;
    return;
  }
}

/// The extension as read; a factor that LongRoPE leaves out is the ratio of the lengths (theory.md section 3).
void read_extension(const TextTower& tower, const TextLayers& layers, Profile& profile) {
  profile.origin["extension"] = tower.default_origin;
  if (!layers.extended) {
    profile.origin["extension"] = "only full-attention layers are extended: " + tower.default_origin;
    return;
  }
  if (!layers.rope) return;
  const RopeObject& rope = *layers.rope;
  profile.origin["extension"] = rope.origin;
  profile.spec.extension = rope.extension;
  const auto longest = read_longest(tower);
  if (rope.type == "longrope" && !rope.extension.numbers.count("factor") && longest && profile.spec.trained_length) {
    // A model that now says less than it was trained with is not extended.
    const double factor = std::max(longest->value / *profile.spec.trained_length, 1.0);
    if (!std::isfinite(factor)) {
      throw InputError(tower.section.source + ": " + longest->origin + " " + number_text(longest->value) +
                       " is not a usable multiple of " + profile.origin["trained_length"] + " " +
                       number_text(*profile.spec.trained_length));
    }
    profile.spec.extension.numbers["factor"] = factor;
    profile.origin["extension.factor"] = longest->origin + " / " + profile.origin["trained_length"];
  }
  check_extension_of(profile, tower.section.source, rope.section->path);
}

// ---- notes ----------------------------------------------------------------------------------------------------------

std::string layers_note(std::size_t without, std::size_t total) {
  return std::to_string(without) + " of " + std::to_string(total) + " layers have no rotary embedding.";
}

/// Llama 4 and SmolLM3: 1 = rotary, 0 = none for each layer; an empty or missing list means every fourth has none.
void note_unrotated_layers(const TextTower& tower, std::vector<std::string>& notes) {
  const auto listed = tower.section.numbers("no_rope_layers");
  if (listed && !listed->value.empty()) {
    const auto without = std::count(listed->value.begin(), listed->value.end(), 0.0);
    if (without > 0) notes.push_back(layers_note(static_cast<std::size_t>(without), listed->value.size()));
    return;
  }
  if (!listed && tower.family.unrotated_every == 0) return;
  const auto given = tower.section.whole("no_rope_layer_interval");
  const int interval = given ? given->value : tower.family.unrotated_every > 0 ? tower.family.unrotated_every : 4;
  const auto layers = tower.section.whole("num_hidden_layers");
  notes.push_back(
      "One layer in " + std::to_string(interval) + " has no rotary embedding" +
      (layers ? " (" + std::to_string(layers->value / interval) + " of " + std::to_string(layers->value) + ")." : "."));
}

void note_linear_layers(const TextTower& tower, std::vector<std::string>& notes) {
  const nlohmann::json* types = tower.section.find("layer_types");
  if (!types || !types->is_array()) return;
  const auto without = std::count(types->begin(), types->end(), "linear_attention");
  if (without > 0)
    notes.push_back("Linear attention: " + layers_note(static_cast<std::size_t>(without), types->size()));
}

void add_notes(const TextTower& tower, const TextLayers& layers, Profile& profile) {
  auto& notes = profile.notes;
  if (!tower.known) {
    notes.push_back(tower.section.has("model_type") ? "This model_type is not known here: half-split pairs are assumed."
                                                    : "The file names no model_type: half-split pairs are assumed.");
  }
  if (profile.origin["head_dim"].find("qk_rope_head_dim") != std::string::npos || tower.family.mla_rotary_dim > 0) {
    notes.push_back(
        "Latent attention: head_dim counts the rotated part of a head only; its other channels know no position.");
  }
  if (layers.rope && !layers.rope->note.empty()) notes.push_back(layers.rope->note);
  if (tower.family.note) notes.push_back(tower.family.note);
  if (const auto scaled = tower.section.flag("use_scaled_rope"); scaled && scaled->value) {
    notes.push_back("use_scaled_rope asks for an extension whose numbers are not in the file.");
  }
  note_unrotated_layers(tower, notes);
  note_linear_layers(tower, notes);
}

Profile read_profile(const TextTower& tower, const TextLayers& layers) {
  Profile profile;
  profile.name = layers.name;
  auto latent = tower.section.whole("qk_rope_head_dim");
  if (!latent && tower.family.mla_rotary_dim > 0) latent = {tower.family.mla_rotary_dim, tower.default_origin};
  const Read<int> head = latent ? *latent : read_head_dim(tower, layers);
  Read<int> rotary = latent ? *latent : read_rotary_dim(tower, layers, head);
  const Read<double> base = read_base(tower, layers);

  RotarySpec& spec = profile.spec;
  RotaryAxis axis;
  if (layers.rope && layers.rope->type == "proportional") rotary = head;  // its exponents run over the whole head
  axis.rotary_dim = rotary.value;
  axis.base = base.value;
  spec.head_dim = head.value;
  spec.axes = {axis};
  profile.origin["head_dim"] = head.origin;
  profile.origin["rotary_dim"] = rotary.origin;
  profile.origin["base"] = base.origin;
  if (const auto length = read_trained_length(tower, layers.rope)) {
    spec.trained_length = length->value;
    profile.origin["trained_length"] = length->origin;
  }
  read_pairing(tower, profile);
  check_profile(profile, tower.section.source);
  read_extension(tower, layers, profile);
  add_notes(tower, layers, profile);
  return profile;
}

}  // namespace

std::vector<Profile> read_text_tower(const Section& root) {
  const TextTower tower = find_text_tower(root);
  check_switches(tower.section);
  std::vector<Profile> profiles;
  for (const TextLayers& layers : find_text_layers(tower)) profiles.push_back(read_profile(tower, layers));
  return profiles;
}

}  // namespace ropescope
