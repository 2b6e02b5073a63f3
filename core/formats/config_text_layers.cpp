#include "core/formats/config_text_layers.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/formats/config_towers.h"
#include "core/number_text.h"

namespace ropescope {

namespace {

constexpr const char* kOuterSections[] = {"thinker_config", "vlm_config"};
constexpr const char* kTextSections[] = {"text_config", "llm_config", "language_config"};
constexpr const char* kSlidingBaseFields[] = {"rope_local_base_freq", "local_rope_theta", "swa_rope_theta"};
constexpr const char* kCompressedBaseFields[] = {"compress_rope_theta"};
/// What tells a rotary model of a class that nobody entered; also what the error lists.
constexpr const char* kEvidence[] = {
    "rope_theta",     "rope_parameters", "rope_scaling",          "rotary_emb_base",      "rotary_pct",
    "rope_pct",       "rotary_dim",      "partial_rotary_factor", "rotary_emb_fraction",  "qk_rope_head_dim",
    "rope_ratio",     "pe_rotary_dims",  "rotary_value",          "rope_local_base_freq", "global_rope_theta",
    "swa_rope_theta", "no_rope_layers",  "original_rope",         "layer_rope_theta",     "rotary_embedding_base"};

constexpr std::size_t kMostLayerTypes = 16;

Section text_section(const Section& root) {
  Section outer = root.first_section(kOuterSections).value_or(root);
  outer = outer.first_section(kTextSections).value_or(outer);
  const auto type = outer.text("model_type");
  const TextFamily* family = type ? find_text_family(type->value) : nullptr;
  if (!family || !family->section) return outer;
  return outer.section(family->section).value_or(outer);
}

/// The class of a file that names none, by fields that only it has.
const char* class_by_fields(const Section& section) {
  if (section.has("rotary_value")) return "roformer";
  if (section.has("pe_rotary_dims") || section.has("pe")) return "mesh-transformer-jax";
  if (section.has("dim") && section.has("n_layers") && section.has("n_heads")) return "native weights (params.json)";
  return nullptr;
}

[[noreturn]] void reject_unknown(const Section& section, const std::string& model_type) {
  Words::List fields;
  for (const char* field : kEvidence) fields.push_back(as_it_is(field));
  const Words nothing =
      section.path.empty() ? Words("config.nothing") : Words("config.nothing_in", {{"path", section.path}});
  if (model_type.empty())
    throw InputError(section.source, "config.no_type", {{"nothing", nothing}, {"fields", fields}});
  throw InputError(section.source, "config.unknown_type",
                   {{"nothing", nothing}, {"class", in_quotes(model_type)}, {"fields", fields}});
}

bool has_any(const Section& section, Spellings fields) {
  return std::any_of(fields.begin(), fields.end(), [&](const char* field) { return section.has(field); });
}

void check_refused(const Section& root, const Section& section) {
  for (const Section& place : {root, section}) {
    const auto type = place.text("model_type");
    const RefusedFamily* refused = type ? find_refused_family(type->value) : nullptr;
    if (!refused) continue;
    throw InputError(root.source, "config.refused", {{"class", in_quotes(type->value)}, {"why", Words(refused->why)}});
  }
}

/// Classes that are rotary only where a field says so.
void check_needs(const TextTower& tower) {
  const RotarySwitch& needs = tower.family.needs;
  if (!needs.field) return;
  const nlohmann::json* found = tower.section.find(needs.field);
  const bool rotary = found && (found->is_boolean() ? found->get<bool>() : *found == needs.value);
  if (rotary) return;
  const bool is_flag = std::string_view(needs.value) == "true";
  throw InputError(tower.section.source, "config.switch",
                   {{"place", tower.section.field(needs.field)},
                    {"found", found ? describe(*found) : Words("found.nothing")},
                    {"class", in_quotes(tower.family.model_type)},
                    {"field", needs.field},
                    {"value", is_flag ? "true" : in_quotes(needs.value)}});
}

std::string layer_name(const Section& section, const std::string& type) {
  const auto is_plain = [](unsigned char c) { return c >= 0x20 && c < 0x7F; };
  if (type.empty() || type.size() > 40 || !std::all_of(type.begin(), type.end(), is_plain)) {
    throw InputError(section.source, "config.layer_type", {{"path", section.path}, {"name", in_quotes(type)}});
  }
  // DeepSeek-V4 names its two sets of parameters, not its layers.
  if (type == "main") return "sliding attention";
  if (type == "compress") return "compressed attention";
  std::string name = type;
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

/// transformers 5: one set of parameters per layer type. Full attention first, then the file's order.
std::vector<TextLayers> layers_by_type(const TextTower& tower, const Section& parameters) {
  std::vector<TextLayers> kinds;
  Words::List unrotated;
  for (const auto& [type, value] : parameters.object->items()) {
    if (value.is_null()) unrotated.push_back({"config_note.unrotated_type", {{"type", in_quotes(type)}}});
    if (!value.is_object()) continue;
    if (kinds.size() == kMostLayerTypes) {
      throw InputError(parameters.source, "config.many_types", {{"path", parameters.path}, {"most", kMostLayerTypes}});
    }
    TextLayers kind;
    kind.name = layer_name(parameters, type);
    kind.full = type == "full_attention" || type == "compress" || type == "hybrid";
    kind.rope = read_rope_object(*parameters.section(type));
    kind.default_base = !kind.full && tower.family.local_base > 0 ? tower.family.local_base : tower.family.base;
    kind.base_fields = {};
    kinds.push_back(std::move(kind));
  }
  std::stable_partition(kinds.begin(), kinds.end(), [](const TextLayers& kind) { return kind.full; });
  kinds.front().notes = unrotated;
  return kinds;
}

/// transformers: a base of null turns a class without rotary embedding (OLMo Hybrid as released).
void check_base_is_given(const Section& rope) {
  const auto base = rope.object->find("rope_theta");
  if (base == rope.object->end() || !base->is_null()) return;
  throw InputError(rope.source, "config.null_base", {{"field", rope.field("rope_theta")}});
}

/// The RoPE object of the file, else the one that the class takes.
std::optional<Section> rope_section(const TextTower& tower) {
  for (const char* field : {"rope_parameters", "rope_scaling"}) {
    const auto object = tower.section.section(field);
    if (object && !object->object->empty()) {
      check_base_is_given(*object);
      return object;
    }
  }
  // A file in an old spelling says in fields of its own what the default object says.
  if (!tower.default_rope || has_any(tower.section, kSlidingBaseFields)) return std::nullopt;
  const Words place("origin.rope_parameters", {{"class", tower.default_origin}});
  return Section{tower.default_rope.get(), place, tower.section.source};
}

/// layer_rope_theta: one base for each layer, 0 where a layer is not rotated. One kind for each base.
std::vector<TextLayers> layers_by_base(const TextTower& tower, const TextLayers& plain) {
  const auto listed = tower.section.numbers("layer_rope_theta");
  std::vector<TextLayers> kinds;
  for (const double base : listed->value) {
    if (base < 0) tower.section.reject("layer_rope_theta", Words("config.bases"));
    const auto same = [&](const TextLayers& kind) { return kind.listed_base->value == base; };
    if (base == 0 || std::any_of(kinds.begin(), kinds.end(), same)) continue;
    if (kinds.size() == kMostLayerTypes) tower.section.reject("layer_rope_theta", Words("config.few_bases"));
    kinds.push_back(plain);
    kinds.back().listed_base = Read<double>{base, listed->origin};
    kinds.back().name = "base " + number_text(base);
  }
  if (kinds.empty()) tower.section.reject("layer_rope_theta", Words("config.any_base"));
  if (kinds.size() == 1) kinds.front().name = plain.name;
  return kinds;
}

/// DeepSeek-V4: what is extended and has the second base are the compressed layers; the others (compress_ratio 0) keep
/// the plain ladder.
std::vector<TextLayers> compressed_layers(const TextTower& tower, TextLayers plain) {
  TextLayers compressed = plain;
  if (tower.family.compressed_base > 0) compressed.default_base = tower.family.compressed_base;
  compressed.name = "compressed attention";
  compressed.base_fields = kCompressedBaseFields;
  compressed.base_in_rope = false;
  plain.name = "sliding attention";
  plain.full = false;
  plain.extended = false;
  return {compressed, plain};
}

}  // namespace

TextTower find_text_tower(const Section& root) {
  TextTower tower;
  tower.section = text_section(root);
  check_refused(root, tower.section);
  auto type = tower.section.text("model_type");
  if (!type) type = root.text("model_type");
  const char* guessed = type ? nullptr : class_by_fields(tower.section);
  const std::string name = type ? type->value : guessed ? guessed : "";
  if (const TextFamily* family = find_text_family(name)) {
    tower.family = *family;
    tower.default_origin = guessed ? Words("origin.default_of", {{"model", name}}) : default_of_type(name);
    if (family->rope) tower.default_rope = std::make_shared<nlohmann::json>(nlohmann::json::parse(family->rope));
    check_needs(tower);
    return tower;
  }
  const auto has = [&](const char* field) { return tower.section.has(field); };
  if (std::none_of(std::begin(kEvidence), std::end(kEvidence), has)) {
    auto class_name = root.text("_class_name");
    reject_unknown(tower.section, type ? name : class_name ? class_name->value : "");
  }
  tower.known = false;
  tower.default_origin = type ? Words("origin.default_of_unknown_type", {{"type", in_quotes(name)}})
                              : Words("origin.default_without_type");
  return tower;
}

std::vector<TextLayers> find_text_layers(const TextTower& tower) {
  const Section& section = tower.section;
  std::optional<RopeObject> rope;
  if (const auto object = rope_section(tower)) {
    const auto is_object = [](const nlohmann::json& value) { return value.is_object(); };
    if (std::any_of(object->object->begin(), object->object->end(), is_object)) return layers_by_type(tower, *object);
    rope = read_rope_object(*object);
  }
  TextLayers first;
  first.rope = rope;
  first.default_base = tower.family.base;
  if (section.has("layer_rope_theta")) return layers_by_base(tower, first);
  if (tower.family.compressed_base > 0 || has_any(section, kCompressedBaseFields))
    return compressed_layers(tower, first);
  TextLayers second = first;
  second.full = false;
  second.name = "sliding attention";
  if (tower.family.local_base > 0 || has_any(section, kSlidingBaseFields)) {
    second.base_fields = kSlidingBaseFields;
    second.base_in_rope = false;
    second.default_base = tower.family.local_base > 0 ? tower.family.local_base : tower.family.base;
  } else if (!(tower.family.extends_full_layers_only && rope && rope->extension.method != "none")) {
    return {first};
  }
  second.extended = !tower.family.extends_full_layers_only;
  first.name = "full attention";
  return {first, second};
}

}  // namespace ropescope
