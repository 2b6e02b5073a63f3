#include "core/formats/config_rope.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/scaling/scaling.h"

namespace ropescope {

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

}  // namespace ropescope
