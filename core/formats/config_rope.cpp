#include "core/formats/config_rope.h"
#include "core/number_text.h"

#include "core/error.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

struct Renamed {
  const char* in_file;
  const char* in_extension;
};

/// Names of methods that differ from those of core/scaling.
constexpr Renamed kTypes[] = {{"default", "none"},  {"mrope", "none"},       {"su", "longrope"},
                              {"ntk", "ntk-aware"}, {"xdrope", "ntk-alpha"}, {"deepseek_yarn", "yarn"}};
/// Names of parameters that differ; every other one is called the same.
constexpr Renamed kNumbers[] = {{"low_freq_factor", "low_frequency_factor"},
                                {"high_freq_factor", "high_frequency_factor"},
                                {"alpha", "ntk_alpha"},
                                {"partial_rotary_factor", "live_fraction"}};
constexpr Renamed kLists[] = {{"short_factor", "short_factors"}, {"long_factor", "long_factors"}};

std::string key_of(const Section& section, std::string_view parameter) {
  for (const Renamed& name : kNumbers) {
    if (name.in_extension == parameter && section.has(name.in_file)) return name.in_file;
  }
  return std::string(parameter);
}

/// The parameters that the method has; a file often holds some of other methods too.
void read_parameters(const Section& section, const ScalingMethod& method, Extension& extension) {
  for (const ScalingParameter& parameter : method.parameters) {
    const std::string key = key_of(section, parameter.name);
    const std::string name(parameter.name);
    if (parameter.is_switch) {
      if (const auto found = section.flag(key)) extension.numbers[name] = found->value ? 1 : 0;
    } else if (const auto found = parameter.minimum > 0 ? section.positive(key) : section.number(key)) {
      extension.numbers[name] = found->value;
    }
  }
  if (!method.uses_lists) return;
  for (const Renamed& name : kLists) {
    const auto found = section.numbers(name.in_file);
    if (!found) continue;
    for (const double factor : found->value) {
      if (!(factor > 0)) section.reject(name.in_file, "a list of numbers above 0");
    }
    extension.lists[name.in_extension] = found->value;
  }
}

std::string method_of(const Section& section, const std::string& type) {
  // Hunyuan writes "dynamic" and means a fixed alpha.
  if (type == "dynamic" && section.has("alpha")) return "ntk-alpha";
  for (const Renamed& name : kTypes) {
    if (type == name.in_file) return name.in_extension;
  }
  return type;
}

const ScalingMethod& known_method(const Section& section, const std::string& name, const std::string& origin) {
  try {
    return find_scaling_method(name);
  } catch (const InputError& error) {
    throw InputError(section.source + ": " + origin + ": " + error.what());
  }
}

/// "one ladder … dealt to t, h and w in sections of 16 + 24 + 24 pairs".
std::string sections_note(const Section& section) {
  const auto sections = section.numbers("mrope_section");
  if (!sections) return "";
  std::string sum;
  for (const double pairs : sections->value) sum += (sum.empty() ? "" : " + ") + number_text(pairs);
  const auto interleaved = section.flag("mrope_interleaved");
  return "M-RoPE: the pairs of this one ladder are dealt to time, height and width (" + sum + " pairs, " +
         (interleaved && interleaved->value ? "interleaved" : "in contiguous sections") +
         "); the three positions of a text token are equal.";
}

}  // namespace

RopeObject read_rope_object(const Section& section) {
  RopeObject rope;
  rope.section = section;
  auto type = section.text("rope_type");
  if (!type) type = section.text("type");
  rope.origin = type ? type->origin : section.path;
  rope.note = sections_note(section);
  rope.type = method_of(section, type ? type->value : "none");
  const ScalingMethod& method = known_method(section, rope.type, rope.origin);
  rope.extension.method = rope.type;
  read_parameters(section, method, rope.extension);
  return rope;
}

}  // namespace ropescope
