#include "core/formats/config_text_layers.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace ropescope {

namespace {

constexpr const char* kTextSections[] = {"text_config", "llm_config", "language_config"};
constexpr const char* kSlidingBaseFields[] = {"rope_local_base_freq", "local_rope_theta", "swa_rope_theta"};
constexpr const char* kCompressedBaseFields[] = {"compress_rope_theta"};
/// What tells a rotary model of a class that nobody entered; also what the error lists.
constexpr const char* kEvidence[] = {
    "rope_theta",     "rope_parameters", "rope_scaling",          "rotary_emb_base",      "rotary_pct",
    "rope_pct",       "rotary_dim",      "partial_rotary_factor", "rotary_emb_fraction",  "qk_rope_head_dim",
    "rope_ratio",     "pe_rotary_dims",  "rotary_value",          "rope_local_base_freq", "global_rope_theta",
    "swa_rope_theta", "no_rope_layers",  "original_rope"};

constexpr std::size_t kMostLayerTypes = 16;

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
std::vector<TextLayers> layers_by_type(const TextTower& tower, const Section& parameters) {
  std::vector<TextLayers> kinds;
  for (const auto& [type, value] : parameters.object->items()) {
    if (!value.is_object()) continue;
    if (kinds.size() == kMostLayerTypes) {
      throw InputError(parameters.source + ": " + parameters.path + " has more than " +
                       std::to_string(kMostLayerTypes) + " layer types; a model has a few");
    }
    TextLayers kind;
    kind.name = layer_name(parameters, type);
    kind.full = type == "full_attention";
    kind.rope = read_rope_object(*parameters.section(type));
    kind.default_base = !kind.full && tower.family.local_base > 0 ? tower.family.local_base : tower.family.base;
    kind.base_fields = {};
    kinds.push_back(std::move(kind));
  }
  std::stable_partition(kinds.begin(), kinds.end(), [](const TextLayers& kind) { return kind.full; });
  return kinds;
}

bool has_any(const Section& section, Spellings fields) {
  return std::any_of(fields.begin(), fields.end(), [&](const char* field) { return section.has(field); });
}

}  // namespace

TextTower find_text_tower(const Section& root) {
  TextTower tower;
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

std::vector<TextLayers> find_text_layers(const TextTower& tower) {
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
  TextLayers first;
  first.rope = rope;
  first.default_base = tower.family.base;
  TextLayers second = first;
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

}  // namespace ropescope
