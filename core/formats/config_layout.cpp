#include "core/formats/config_layout.h"
#include "core/formats/config_parts.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/formats/config.h"
#include "core/formats/config_families.h"
#include "core/scaling/scaling.h"
#include "core/words.h"

namespace ropescope {

// --- Extension -----------------------------------------------------------------------------------------------------

namespace {

struct ConfigRopeRenamed {
  const char* in_file;
  const char* in_extension;
};

/// Names of methods that differ from those of core/scaling.
constexpr ConfigRopeRenamed kTypes[] = {
    {"default", "none"}, {"mrope", "none"}, {"su", "longrope"}, {"ntk", "ntk-aware"}, {"deepseek_yarn", "yarn"}};
/// Names of parameters that differ; every other one is called the same.
constexpr ConfigRopeRenamed kConfigRopeNumbers[] = {{"low_freq_factor", "low_frequency_factor"},
                                                    {"high_freq_factor", "high_frequency_factor"},
                                                    {"alpha", "ntk_alpha"},
                                                    {"partial_rotary_factor", "live_fraction"}};
constexpr ConfigRopeRenamed kLists[] = {{"short_factor", "short_factors"}, {"long_factor", "long_factors"}};
/// Keys that are read elsewhere, belong to a method that the object does not ask for, or say nothing about frequencies.
constexpr const char* kConfigRopeUnderstood[] = {"rope_type",
                                                 "type",
                                                 "rope_theta",
                                                 "partial_rotary_factor",
                                                 "factor",
                                                 "original_max_position_embeddings",
                                                 "max_position_embeddings",
                                                 "attention_factor",
                                                 "beta_fast",
                                                 "beta_slow",
                                                 "mscale",
                                                 "mscale_all_dim",
                                                 "truncate",
                                                 "low_freq_factor",
                                                 "high_freq_factor",
                                                 "short_factor",
                                                 "long_factor",
                                                 "short_mscale",
                                                 "long_mscale",
                                                 "alpha",
                                                 "mrope_section",
                                                 "mrope_interleaved",
                                                 "interleaved",
                                                 "xdrope_section",
                                                 "llama_4_scaling_beta",
                                                 "finetuned"};

/// What a key of vLLM's has to be to change nothing. Source: vllm-project/vllm YaRNScalingRotaryEmbedding.
bool changes_nothing(std::string_view key, const nlohmann::json& value) {
  if (key == "extrapolation_factor" || key == "attn_factor") return value == 1;
  return key == "apply_yarn_scaling" && value == true;
}

/// What only a method of extension has, where an object names none: long_factor without a type.
constexpr const char* kOfMethods[] = {"factor",           "short_factor",    "long_factor", "beta_fast",
                                      "beta_slow",        "low_freq_factor", "alpha",       "high_freq_factor",
                                      "attention_factor", "mscale_all_dim"};

std::string method_of(const Section& section, const std::string& type) {
  // Hunyuan writes "dynamic" or "xdrope" and means a fixed alpha.
  if (type == "yarn" && section.has("short_factor") && section.has("long_factor")) return "longrope";  // Phi-3
  if (type == "dynamic" || type == "xdrope") return section.has("alpha") ? "ntk-alpha" : "dynamic";
  for (const ConfigRopeRenamed& name : kTypes) {
    if (type == name.in_file) return name.in_extension;
  }
  return type;
}

/// Parameters without a method. transformers 5 takes the plain ladder, 4 fails; what the file asks for nobody says.
void note_no_type(const Section& section, RopeObject& rope) {
  if (section.has("rope_type") || section.has("type")) return;
  Words::List keys;
  for (const char* key : kOfMethods) {
    if (section.has(key)) keys.push_back(as_it_is(in_quotes(key)));
  }
  if (keys.empty()) return;
  rope.not_understood.push_back({"config_note.no_rope_type", {{"path", section.path}, {"keys", keys}}});
  rope.notes.push_back(rope.not_understood.back());
}

/// transformers reads `rope_type` alone where both are there.
void note_two_types(const Section& section, Words::List& notes) {
  const auto type = section.text("rope_type"), older = section.text("type");
  if (!type || !older || method_of(section, type->value) == method_of(section, older->value)) return;
  notes.push_back({"config_note.two_types",
                   {{"taken", type->origin},
                    {"value", in_quotes(type->value)},
                    {"other", older->origin},
                    {"otherwise", in_quotes(older->value)}}});
}

std::string key_of(const Section& section, std::string_view parameter) {
  for (const ConfigRopeRenamed& name : kConfigRopeNumbers) {
    if (name.in_extension == parameter && section.has(name.in_file)) return name.in_file;
  }
  return std::string(parameter);
}

/// transformers writes `beta_slow or 1`: a 0 is as good as none.
bool is_no_beta(const Section& section, const std::string& key, const ScalingParameter& parameter, Words::List& notes) {
  if (key.rfind("beta_", 0) != 0 || section.number(key)->value != 0) return false;
  notes.push_back({"config_note.zero_beta", {{"field", section.field(key)}, {"value", parameter.initial}}});
  return true;
}

/// The parameters that the method has; a file often holds some of other methods too.
void read_parameters(const Section& section, const ScalingMethod& method, Extension& extension, Words::List& notes) {
  for (const ScalingParameter& parameter : method.parameters) {
    const std::string key = key_of(section, parameter.name);
    const std::string name(parameter.name);
    if (section.has(key) && is_no_beta(section, key, parameter, notes)) continue;
    if (name == "attention_factor" && section.has(key) && section.number(key)->value == 0) {
      throw InputError(section.source, "config.no_amplitude", {{"field", section.field(key)}});
    }
    if (parameter.is_switch) {
      if (const auto found = section.flag(key)) extension.numbers[name] = found->value ? 1 : 0;
    } else if (const auto found = parameter.minimum > 0 ? section.positive(key) : section.number(key)) {
      extension.numbers[name] = found->value;
    }
  }
  for (const ConfigRopeRenamed& name : kLists) {
    if (!find_list(method, name.in_extension)) continue;
    const auto found = section.numbers(name.in_file);
    if (!found) continue;
    for (const double factor : found->value) {
      if (!(factor > 0)) section.reject(name.in_file, Words("expected.numbers_above_0"));
    }
    extension.lists[name.in_extension] = found->value;
  }
}

const ScalingMethod& known_method(const Section& section, const std::string& name, const Words& origin) {
  try {
    return find_scaling_method(one_line(name));  // no known one has a line break; a message has none either
  } catch (const InputError& error) {
    throw InputError::within(section.source, InputError::within(origin, error));
  }
}

void add_notes(const Section& section, const ScalingMethod& method, RopeObject& rope) {
  Words::List& notes = rope.notes;
  std::int64_t count = 0;
  for (const auto& [key, value] : section.object->items()) {
    const bool understood = find_parameter(method, key) ||
                            std::find(std::begin(kConfigRopeUnderstood), std::end(kConfigRopeUnderstood), key) !=
                                std::end(kConfigRopeUnderstood);
    if (understood || value.is_null() || changes_nothing(key, value)) continue;
    if (++count > static_cast<std::int64_t>(kMostNames)) continue;
    notes.push_back(
        {"config_note.unknown_key", {{"path", section.path}, {"key", in_quotes(key)}, {"value", describe(value)}}});
  }
  const std::int64_t more = count - static_cast<std::int64_t>(notes.size());
  if (more > 0) notes.push_back({"config_note.unknown_keys", {{"path", section.path}, {"count", more}}});
  rope.not_understood = notes;
  if (section.has("llama_4_scaling_beta")) {
    notes.push_back({"config_note.scaling_beta", {{"field", section.field("llama_4_scaling_beta")}}});
  }
  note_no_type(section, rope);
  note_two_types(section, notes);
  if (section.lookups) section.lookups->told.insert(section.object);
}

}  // namespace

RopeObject read_rope_object(const Section& section) {
  RopeObject rope;
  rope.section = section;
  auto type = section.text("rope_type");
  if (!type) type = section.text("type");
  rope.origin = type ? type->origin : section.path;
  rope.type = method_of(section, type ? type->value : "none");
  const ScalingMethod& method = known_method(section, rope.type, rope.origin);
  rope.extension.method = rope.type;
  add_notes(section, method, rope);
  read_parameters(section, method, rope.extension, rope.notes);
  return rope;
}

// --- Layout --------------------------------------------------------------------------------------------------------

namespace {

enum class ConfigLayoutFields { axes, thirds, halves, ltx, dinov3, sections, pixtral };

struct ConfigLayoutFamily {
  const char* type;    ///< _class_name or model_type
  const char* layout;  ///< nullptr: recognised, not supported
  ConfigLayoutFields fields;
  const char* note = nullptr;  ///< the key of a text
};

constexpr const char* kKontext = "config_note.kontext";
constexpr const char* kConfigLayoutFramePack = "config_note.frame_pack_layout";

constexpr ConfigLayoutFamily kFamilies[] = {
    {"FluxTransformer2DModel", "flux.1", ConfigLayoutFields::axes, kKontext},
    {"ChromaTransformer2DModel", "flux.1", ConfigLayoutFields::axes},
    {"Flux2Transformer2DModel", "flux.2", ConfigLayoutFields::axes},
    {"QwenImageTransformer2DModel", "qwen-image", ConfigLayoutFields::axes},
    {"WanTransformer3DModel", "wan", ConfigLayoutFields::thirds},
    {"WanVACETransformer3DModel", "wan", ConfigLayoutFields::thirds},
    {"WanModel", "wan", ConfigLayoutFields::thirds},
    {"SkyReelsV2Transformer3DModel", "wan", ConfigLayoutFields::thirds},
    {"HunyuanVideoTransformer3DModel", "hunyuan-video", ConfigLayoutFields::axes},
    {"HunyuanVideoTransformer3DModelPacked", "hunyuan-video", ConfigLayoutFields::axes, kConfigLayoutFramePack},
    {"CogView4Transformer2DModel", "cogview4", ConfigLayoutFields::halves},
    {"Lumina2Transformer2DModel", "lumina-2", ConfigLayoutFields::axes},
    {"ZImageTransformer2DModel", "z-image", ConfigLayoutFields::axes},
    {"ERNIEImageModel", "ernie-image", ConfigLayoutFields::axes},
    {"ErnieImageTransformer2DModel", "ernie-image", ConfigLayoutFields::axes},
    {"LTXVideoTransformer3DModel", "ltx-video", ConfigLayoutFields::ltx},
    {"Transformer3DModel", "ltx-video", ConfigLayoutFields::ltx},
    {"dinov3_vit", "dinov3", ConfigLayoutFields::dinov3},
    {"qwen2_vl", "qwen2-vl", ConfigLayoutFields::sections},
    {"qwen2_5_vl", "qwen2-vl", ConfigLayoutFields::sections},
    {"qwen3_vl", "qwen3-vl", ConfigLayoutFields::sections},
    {"qwen3_vl_moe", "qwen3-vl", ConfigLayoutFields::sections},
    {"qwen3_5", "qwen3-vl", ConfigLayoutFields::sections},
    {"qwen3_5_moe", "qwen3-vl", ConfigLayoutFields::sections},
    {"llama4_vision_model", "torchtune-vision", ConfigLayoutFields::pixtral},
    {"pixtral", "pixtral", ConfigLayoutFields::pixtral},
    {"vision_encoder", "pixtral", ConfigLayoutFields::pixtral},
    {"CogVideoXTransformer3DModel", nullptr, ConfigLayoutFields::axes},
    {"ConsisIDTransformer3DModel", nullptr, ConfigLayoutFields::axes},
    {"EasyAnimateTransformer3DModel", nullptr, ConfigLayoutFields::axes},
    {"AllegroTransformer3DModel", nullptr, ConfigLayoutFields::axes},
    {"HunyuanDiT2DModel", nullptr, ConfigLayoutFields::axes},
    {"LuminaNextDiT2DModel", nullptr, ConfigLayoutFields::axes},
    {"MochiTransformer3DModel", nullptr, ConfigLayoutFields::axes},
    {"OmniGenTransformer2DModel", nullptr, ConfigLayoutFields::axes},
    {"CosmosTransformer3DModel", nullptr, ConfigLayoutFields::axes},
    {"AVTransformer3DModel", nullptr, ConfigLayoutFields::axes},
    {"LTX2VideoTransformer3DModel", nullptr, ConfigLayoutFields::axes},
    {"EVA", nullptr, ConfigLayoutFields::axes},
};

constexpr const char* kConfigLayoutAxesFields[] = {"axes_dims_rope", "axes_dim_rope", "axes_dims",
                                                   "axes_dim",       "rope_axes_dim", "rope_dim_list"};
constexpr const char* kConfigLayoutBaseFields[] = {"rope_theta", "theta", "positional_embedding_theta"};

/// A family and the object of the file that holds its fields.
struct ConfigLayoutFound {
  Section section;
  ConfigLayoutFamily family;
};

std::optional<ConfigLayoutFamily> family_of(std::string_view type) {
  for (const ConfigLayoutFamily& family : kFamilies) {
    if (family.type == type) return family;
  }
  return std::nullopt;
}

std::optional<ConfigLayoutFound> find_by_type(const Section& root) {
  std::vector<Section> places = {root};
  for (const char* key : {"transformer", "vision_config"}) {
    if (const auto inner = root.section(key)) places.push_back(*inner);
  }
  for (const Section& place : places) {
    for (const char* key : {"_class_name", "model_type"}) {
      const auto type = place.text(key);
      const auto family = type ? family_of(type->value) : std::nullopt;
      if (family) return ConfigLayoutFound{family->fields == ConfigLayoutFields::sections ? root : place, *family};
    }
  }
  if (const auto native = root.section("vision_encoder"))
    return ConfigLayoutFound{*native, *family_of("vision_encoder")};
  if (const auto vision = root.section("vision_cfg")) {
    if (const auto rope = vision->flag("rope"); rope && rope->value)
      return ConfigLayoutFound{*vision, *family_of("EVA")};
  }
  return std::nullopt;
}

/// A file without a class name that lists its axes: four of them are FLUX.2's, axes_dim is FLUX.1's own spelling. What
/// names a class that is not known here is not theirs.
std::optional<ConfigLayoutFound> find_by_fields(const Section& root) {
  if (root.has("_class_name") || root.has("model_type")) return std::nullopt;
  if (root.has("use_rotary_positional_embeddings"))
    return ConfigLayoutFound{root, *family_of("CogVideoXTransformer3DModel")};
  for (const char* field : kConfigLayoutAxesFields) {
    if (!root.has(field)) continue;
    if (root.numbers(field)->value.size() == 4) return ConfigLayoutFound{root, *family_of("Flux2Transformer2DModel")};
    if (std::string_view(field) == "axes_dim") return ConfigLayoutFound{root, *family_of("FluxTransformer2DModel")};
  }
  return std::nullopt;
}

std::vector<int> whole_list(const Section& section, const char* field) {
  std::vector<int> list;
  const auto numbers = section.numbers(field);
  for (const double value : numbers->value) {
    if (!(value >= 0 && value <= 65536) || value != std::floor(value)) {
      section.reject(field, {"expected.whole_numbers_up_to", {{"most", 65536}}});
    }
    list.push_back(static_cast<int>(value));
  }
  return list;
}

std::optional<int> head_dim(const Section& section) {
  if (const auto head = section.first_whole(kHeadDimFields)) return head->value;
  const auto hidden = section.first_whole(kHiddenFields);
  const auto heads = section.first_whole(kHeadFields);
  if (!hidden || !heads) return std::nullopt;
  return head_quotient(section, *hidden, *heads).value;
}

void read_base_config_layout(const Section& section, LayoutRequest& request) {
  if (const auto base = section.first_positive(kConfigLayoutBaseFields)) request.base = base->value;
}

void read_axes_config_layout(const Section& section, LayoutRequest& request) {
  for (const char* field : kConfigLayoutAxesFields) {
    if (!section.has(field)) continue;
    request.axis_dims = whole_list(section, field);
    if (request.axis_dims.empty()) section.reject(field, Words("config.channels_of_axes"));
    break;
  }
  request.head_dim = head_dim(section);
}

void read_ltx(const Section& section, LayoutRequest& request) {
  const auto head = head_dim(section);
  const auto heads = section.first_whole(kHeadFields);
  if (head && heads && *head <= 65536 && heads->value <= 65536 / *head) request.head_dim = *head * heads->value;
  constexpr const char* kUnits = "positional_embedding_max_pos";
  if (section.has(kUnits) && section.numbers(kUnits)->value != std::vector<double>{20, 2048, 2048}) {
    section.reject(kUnits, {"config.only_known", {{"value", "[20, 2048, 2048]"}}});
  }
}

/// Wan: pixels per token are the VAE's times the patch. Wan 2.2 TI2V-5B alone has 48 channels of latents, those of the
/// VAE that makes one latent of 16 x 16 pixels; the others' makes one of 8 x 8.
void read_wan(const Section& section, LayoutConfig& config) {
  constexpr const char* kChannels[] = {"in_channels", "in_dim"};
  constexpr int kChannelsOfTheLargeVae = 48;
  config.request.head_dim = head_dim(section);
  int patch = 2;
  if (const nlohmann::json* size = section.find("patch_size"); size && size->is_array()) {
    const std::vector<int> sides = whole_list(section, "patch_size");
    if (sides.size() != 3 || sides[1] != sides[2] || sides[1] < 1 || sides[0] != 1) {
      section.reject("patch_size", as_it_is("[1, n, n]"));
    }
    patch = sides[1];
  }
  const auto channels = section.first_whole(kChannels);
  const bool large = channels && channels->value == kChannelsOfTheLargeVae;
  if ((large || patch != 2) && patch <= 64) config.request.patch = (large ? 16 : 8) * patch;
  if (large) {
    config.notes.push_back({"config_note.large_vae", {{"field", channels->origin}, {"side", 16 * patch}}});
  }
}

void read_vision(const Section& section, LayoutRequest& request) {
  request.head_dim = head_dim(section);
  if (const auto patch = section.whole("patch_size")) request.patch = patch->value;
}

/// Qwen2.5-VL's count of the time axis, with the value of its class where the file gives none.
void read_seconds(const Section& vision, LayoutRequest& request) {
  constexpr double kOfTheClass = 4;
  const auto given = vision.positive("tokens_per_second");
  request.tokens_per_second = given ? given->value : kOfTheClass;
  const auto frames = vision.whole("temporal_patch_size");
  if (frames && frames->value != 2) vision.reject("temporal_patch_size", {"config.only_known", {{"value", 2}}});
}

/// The language tower's rotary object, wherever this spelling keeps it.
void read_sections(const Section& root, std::string_view type, LayoutRequest& request) {
  const Section text = root.section("text_config").value_or(root);
  read_base_config_layout(text, request);
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    const auto rope = text.section(key);
    if (!rope || rope->object->empty()) continue;
    if (rope->has("mrope_section")) request.sections = whole_list(*rope, "mrope_section");
    if (const auto base = rope->positive("rope_theta")) request.base = base->value;
    break;
  }
  const auto vision = root.section("vision_config");
  if (type == "qwen2_5_vl" && vision) read_seconds(*vision, request);
  const auto patch = vision ? vision->whole("patch_size") : std::nullopt;
  const auto merge = vision ? vision->whole("spatial_merge_size") : std::nullopt;
  if (patch && merge && patch->value <= 1024 && merge->value <= 1024) request.patch = patch->value * merge->value;
}

/// Qwen-Image-Layered: layers of an image stand at places of their own, which no layout here has.
constexpr const char* kConfigLayoutLayered = "use_layer3d_rope";

std::optional<ConfigLayoutFound> find_family(const Section& root) {
  const auto found = find_by_type(root);
  return found ? found : find_by_fields(root);
}

bool is_layered(const Section& section) {
  const auto layered = section.flag(kConfigLayoutLayered);
  return layered && layered->value;
}

}  // namespace

std::optional<LayoutConfig> find_layout_config(std::string_view text, const std::string& source) {
  std::vector<std::string> doubled;
  const nlohmann::json json = parse_json_object(text, source, kPublishedJson, &doubled);
  Lookups lookups;
  const Section root{&json, {}, as_it_is(source), &lookups};
  const auto found = find_family(root);
  if (!found || is_layered(found->section)) return std::nullopt;
  const auto& [section, family] = *found;
  const auto rotary = section.flag("use_rotary_positional_embeddings");
  if (rotary && !rotary->value) return std::nullopt;  // CogVideoX-2B: parse_model_config says that it is not rotary
  if (!family.layout) {
    const ImageFamily* image = find_image_family(family.type);
    const char* model = image ? image->model : family.type;
    if (!image || !image->note) {
      throw InputError(source, "config.layout_unsupported", {{"model", model}, {"class", family.type}});
    }
    throw InputError(source, "config.layout_unsupported_as",
                     {{"model", model}, {"class", family.type}, {"why", Words(image->note)}});
  }
  LayoutConfig config;
  config.layout = family.layout;
  config.family = family.type;
  config.plain_ladders = family.fields != ConfigLayoutFields::ltx && family.fields != ConfigLayoutFields::dinov3;
  if (family.note) config.notes.emplace_back(family.note);
  if (family.fields != ConfigLayoutFields::sections) read_base_config_layout(section, config.request);
  switch (family.fields) {
    case ConfigLayoutFields::axes:
      read_axes_config_layout(section, config.request);
      break;
    case ConfigLayoutFields::thirds:
      read_wan(section, config);
      break;
    case ConfigLayoutFields::halves:
      config.request.head_dim = head_dim(section);
      if (section.has("rope_axes_dim")) config.request.position_grid = whole_list(section, "rope_axes_dim");
      break;
    case ConfigLayoutFields::ltx:
      read_ltx(section, config.request);
      break;
    case ConfigLayoutFields::dinov3:
    case ConfigLayoutFields::pixtral:
      read_vision(section, config.request);
      break;
    case ConfigLayoutFields::sections:
      read_sections(section, family.type, config.request);
      break;
  }
  // Of the others parse_model_config tells it.
  if (!config.plain_ladders) {
    const Words::List notes = file_notes(root, doubled).notes;
    config.notes.insert(config.notes.end(), notes.begin(), notes.end());
  }
  return config;
}

LayoutConfig parse_layout_config(std::string_view text, const std::string& source) {
  if (auto config = find_layout_config(text, source)) return *std::move(config);
  const nlohmann::json json = parse_json_object(text, source, kPublishedJson);
  const Section root{&json, {}, as_it_is(source)};
  if (const auto found = find_family(root); found && is_layered(found->section)) {
    throw InputError(
        source, "config.layout_unsupported_as",
        {{"model", "Qwen-Image-Layered"}, {"class", found->family.type}, {"why", Words("config_why.layered")}});
  }
  throw InputError(source, "config.no_layout", {});
}

bool fits_layout(std::string_view found, std::string_view asked) {
  return found == asked || (found == "flux.1" && asked == "flux.1-kontext");
}

}  // namespace ropescope
