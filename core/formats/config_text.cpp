#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/formats/config_families.h"
#include "core/formats/config_rope.h"
#include "core/formats/config_towers.h"

namespace ropescope {

namespace {

constexpr const char* kTextSections[] = {"text_config", "llm_config", "language_config"};
constexpr const char* kBaseFields[] = {"rope_theta", "global_rope_theta", "rotary_emb_base", "theta"};
constexpr const char* kSlidingBaseFields[] = {"rope_local_base_freq", "local_rope_theta", "swa_rope_theta"};
constexpr const char* kCompressedBaseFields[] = {"compress_rope_theta"};
constexpr const char* kFractionFields[] = {"partial_rotary_factor", "rotary_pct", "rope_pct", "rotary_emb_fraction"};
constexpr const char* kRotaryDimFields[] = {"rotary_dim", "pe_rotary_dims"};
constexpr const char* kPairingFlags[] = {"rotary_emb_interleaved", "rope_interleave", "rope_interleaved"};
constexpr const char* kLengthFields[] = {
    "max_position_embeddings", "n_positions",           "seq_length",  "seq",
    "max_sequence_length",     "max_trained_positions", "max_seq_len", "model_max_length"};
/// What tells a rotary model of a class that nobody entered; also what the error lists.
constexpr const char* kEvidence[] = {
    "rope_theta",     "rope_parameters", "rope_scaling",          "rotary_emb_base",      "rotary_pct",
    "rope_pct",       "rotary_dim",      "partial_rotary_factor", "rotary_emb_fraction",  "qk_rope_head_dim",
    "rope_ratio",     "pe_rotary_dims",  "rotary_value",          "rope_local_base_freq", "global_rope_theta",
    "swa_rope_theta", "no_rope_layers",  "original_rope"};

constexpr std::size_t kMostLayerTypes = 16;

/// The language tower of a file and what is known about its class.
struct Tower {
  Section section;
  TextFamily family;
  std::string default_origin;  ///< "default of model_type llama"
  bool known = true;
};

/// One kind of layers with a rotary embedding of its own.
struct Layers {
  std::string name = "text";
  std::optional<RopeObject> rope;
  bool full = true;
  Spellings base_fields = kBaseFields;
  bool base_in_rope = true;  ///< the RoPE object's rope_theta is this kind's base
  bool extended = true;
  double default_base = 10000;
};

Section text_section(const Section& root) {
  Section outer = root;
  if (const auto thinker = root.section("thinker_config")) outer = *thinker;
  return outer.first_section(kTextSections).value_or(outer);
}

/// The class of a file that names none, by fields that only it has.
const char* class_by_fields(const Section& section) {
  if (section.has("rotary_value")) return "roformer";
  if (section.has("pe_rotary_dims") || section.has("pe")) return "mesh-transformer-jax";
  if (section.has("dim") && section.has("n_layers") && section.has("n_heads")) return "native weights (params.json)";
  return nullptr;
}

[[noreturn]] void reject_unknown(const Section& section, const std::string& model_type) {
  std::string looked_for;
  for (const char* field : kEvidence) looked_for += (looked_for.empty() ? "" : ", ") + std::string(field);
  throw InputError(
      section.source + ": no rotary fields found" + (section.path.empty() ? "" : " in " + section.path) +
      (model_type.empty() ? " and the file names no model_type" : " for the class " + in_quotes(model_type)) +
      "; looked for " + looked_for);
}

Tower find_tower(const Section& root) {
  Tower tower;
  tower.section = text_section(root);
  auto type = tower.section.text("model_type");
  if (!type) type = root.text("model_type");
  const char* guessed = type ? nullptr : class_by_fields(tower.section);
  const std::string name = type ? type->value : guessed ? guessed : "";
  if (const TextFamily* family = find_text_family(name)) {
    tower.family = *family;
    tower.default_origin = "default of " + std::string(guessed ? "" : "model_type ") + name;
    return tower;
  }
  const auto has = [&](const char* field) { return tower.section.has(field); };
  if (std::none_of(std::begin(kEvidence), std::end(kEvidence), has)) {
    auto class_name = root.text("_class_name");
    reject_unknown(tower.section, type ? name : class_name ? class_name->value : "");
  }
  tower.known = false;
  tower.default_origin =
      type ? "default for the unknown model_type " + in_quotes(name) : "default without a model_type";
  return tower;
}

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

// ---- layers ---------------------------------------------------------------------------------------------------------

std::string layer_name(const Section& section, const std::string& type) {
  const auto is_plain = [](unsigned char c) { return c >= 0x20 && c < 0x7F; };
  if (type.empty() || type.size() > 40 || !std::all_of(type.begin(), type.end(), is_plain)) {
    throw InputError(section.source + ": " + section.path + " has an entry named " + in_quotes(type) +
                     "; a layer type such as full_attention was expected");
  }
  std::string name = type;
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

/// transformers 5: one set of parameters per layer type. Full attention first, then the file's order.
std::vector<Layers> layers_by_type(const Tower& tower, const Section& parameters) {
  std::vector<Layers> kinds;
  for (const auto& [type, value] : parameters.object->items()) {
    if (!value.is_object()) continue;
    if (kinds.size() == kMostLayerTypes) {
      throw InputError(parameters.source + ": " + parameters.path + " has more than " +
                       std::to_string(kMostLayerTypes) + " layer types; a model has a few");
    }
    Layers kind;
    kind.name = layer_name(parameters, type);
    kind.full = type == "full_attention";
    kind.rope = read_rope_object(*parameters.section(type));
    kind.default_base = !kind.full && tower.family.local_base > 0 ? tower.family.local_base : tower.family.base;
    kind.base_fields = {};
    kinds.push_back(std::move(kind));
  }
  std::stable_partition(kinds.begin(), kinds.end(), [](const Layers& kind) { return kind.full; });
  return kinds;
}

bool has_any(const Section& section, Spellings fields) {
  return std::any_of(fields.begin(), fields.end(), [&](const char* field) { return section.has(field); });
}

std::vector<Layers> find_layers(const Tower& tower) {
  const Section& section = tower.section;
  std::optional<RopeObject> rope;
  for (const char* field : {"rope_parameters", "rope_scaling"}) {
    const auto object = section.section(field);
    if (!object || object->object->empty()) continue;
    const auto is_object = [](const nlohmann::json& value) { return value.is_object(); };
    if (std::any_of(object->object->begin(), object->object->end(), is_object)) return layers_by_type(tower, *object);
    rope = read_rope_object(*object);
    break;
  }
  Layers first;
  first.rope = rope;
  first.default_base = tower.family.base;
  Layers second = first;
  second.full = false;
  second.name = "sliding attention";
  if (tower.family.local_base > 0 || has_any(section, kSlidingBaseFields)) {
    second.base_fields = kSlidingBaseFields;
    second.base_in_rope = false;
    second.default_base = tower.family.local_base > 0 ? tower.family.local_base : tower.family.base;
  } else if (has_any(section, kCompressedBaseFields)) {
    second.name = "compressed attention";
    second.base_fields = kCompressedBaseFields;
    second.base_in_rope = false;
  } else if (!(tower.family.extends_full_layers_only && rope && rope->extension.method != "none")) {
    return {first};
  }
  second.extended = !tower.family.extends_full_layers_only;
  if (second.name == "sliding attention") first.name = "full attention";
  return {first, second};
}

// ---- values ---------------------------------------------------------------------------------------------------------

Read<int> read_head_dim(const Tower& tower, const Layers& layers) {
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
Read<int> read_rotary_dim(const Tower& tower, const Layers& layers, const Read<int>& head) {
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

Read<double> read_base(const Tower& tower, const Layers& layers) {
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
std::optional<Read<double>> read_longest(const Tower& tower) {
  if (const auto length = tower.section.first_positive(kLengthFields)) return length;
  if (tower.family.length > 0) return Read<double>{tower.family.length, tower.default_origin};
  return std::nullopt;
}

/// L: original_max_position_embeddings, in or beside the RoPE object; else the file's own length, which dynamic always
/// takes.
std::optional<Read<double>> read_trained_length(const Tower& tower, const std::optional<RopeObject>& rope) {
  constexpr const char* kOriginal = "original_max_position_embeddings";
  if (rope && rope->type == "dynamic") return read_longest(tower);
  if (rope && rope->section) {
    if (const auto length = rope->section->positive(kOriginal)) return length;
  }
  if (const auto length = tower.section.positive(kOriginal)) return length;
  return read_longest(tower);
}

void read_pairing(const Tower& tower, Profile& profile) {
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
void read_extension(const Tower& tower, const Layers& layers, Profile& profile) {
  profile.origin["extension"] = tower.default_origin;
  if (!layers.extended) {
    profile.origin["extension"] = "only full-attention layers are extended: " + tower.default_origin;
    return;
  }
  if (!layers.rope) return;
  const RopeObject& rope = *layers.rope;
  profile.origin["extension"] = rope.origin;
  profile.spec.extension = rope.extension;
  for (const auto& [name, factors] : rope.extension.lists) {
    const std::size_t pairs = static_cast<std::size_t>(profile.spec.axes[0].rotary_dim) / 2;
    if (rope.type == "longrope" && factors.size() != pairs) {
      throw InputError(tower.section.source + ": " + rope.section->path + " has " + std::to_string(factors.size()) +
                       " " + name + "; one for each of the " + std::to_string(pairs) + " pairs was expected");
    }
  }
  const auto longest = read_longest(tower);
  if (rope.type == "longrope" && !rope.extension.numbers.count("factor") && longest && profile.spec.trained_length) {
    profile.spec.extension.numbers["factor"] = longest->value / *profile.spec.trained_length;
    profile.origin["extension.factor"] = longest->origin + " / " + profile.origin["trained_length"];
  }
}

// ---- notes ----------------------------------------------------------------------------------------------------------

std::string layers_note(std::size_t without, std::size_t total) {
  return std::to_string(without) + " of " + std::to_string(total) + " layers have no rotary embedding.";
}

/// Llama 4 and SmolLM3: 1 = rotary, 0 = none for each layer; an empty or missing list means every fourth has none.
void note_unrotated_layers(const Tower& tower, std::vector<std::string>& notes) {
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

void note_linear_layers(const Tower& tower, std::vector<std::string>& notes) {
  const nlohmann::json* types = tower.section.find("layer_types");
  if (!types || !types->is_array()) return;
  const auto without = std::count(types->begin(), types->end(), "linear_attention");
  if (without > 0)
    notes.push_back("Linear attention: " + layers_note(static_cast<std::size_t>(without), types->size()));
}

void add_notes(const Tower& tower, const Layers& layers, Profile& profile) {
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

Profile read_profile(const Tower& tower, const Layers& layers) {
  Profile profile;
  profile.name = layers.name;
  auto latent = tower.section.whole("qk_rope_head_dim");
  if (!latent && tower.family.mla_rotary_dim > 0) latent = {tower.family.mla_rotary_dim, tower.default_origin};
  const Read<int> head = latent ? *latent : read_head_dim(tower, layers);
  Read<int> rotary = latent ? *latent : read_rotary_dim(tower, layers, head);
  const Read<double> base = read_base(tower, layers);

  RotarySpec& spec = profile.spec;
  RotaryAxis axis;
  if (layers.rope && layers.rope->type == "proportional") {
    const Section& rope = *layers.rope->section;
    const auto fraction = rope.positive("partial_rotary_factor");
    const auto factor = rope.positive("factor");
    axis.ladder = Ladder::proportional;
    axis.live_fraction = fraction ? fraction->value : 1;
    axis.factor = factor ? factor->value : 1;
    profile.origin["ladder"] = layers.rope->origin;
    if (fraction) profile.origin["live_fraction"] = fraction->origin;
    if (factor) profile.origin["factor"] = factor->origin;
    rotary = head;
  }
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
  const Tower tower = find_tower(root);
  check_switches(tower.section);
  std::vector<Profile> profiles;
  for (const Layers& layers : find_layers(tower)) profiles.push_back(read_profile(tower, layers));
  return profiles;
}

}  // namespace ropescope
