#include "core/formats/config.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/formats/config_towers.h"
#include "core/scaling/scaling.h"

namespace ropescope {

Read<int> head_quotient(const Section& section, const Read<int>& hidden, const Read<int>& heads) {
  if (hidden.value % heads.value != 0) {
    throw InputError(section.source, "config.not_a_multiple",
                     {{"field", hidden.origin}, {"value", hidden.value}, {"heads", heads.origin}, {"of", heads.value}});
  }
  if (hidden.origin == heads.origin) return {hidden.value / heads.value, hidden.origin};
  return {hidden.value / heads.value, quotient_of(hidden.origin, heads.origin)};
}

Words for_each_axis(const Words& channels) {
  return {"origin.for_each_axis", {{"channels", channels}}};
}

Words half_for_each_axis(const Words& head) {
  return for_each_axis({"origin.half", {{"of", head}}});
}

void check_profile(const Profile& profile, const Words& source) {
  try {
    validate(profile.spec);
  } catch (const InputError& error) {
    Words::List from;
    for (const auto& [value, origin] : profile.origin) {
      const bool named = key_text(error.words()).find(value) != std::string::npos;
      if (named) from.push_back({"origin.of_value", {{"value", value}, {"origin", origin}}});
    }
    const Words& what = error.words();
    if (from.empty()) throw InputError(source, "config.profile", {{"name", profile.name}, {"what", what}});
    throw InputError(source, "config.profile_from",
                     {{"name", profile.name}, {"what", what}, {"origins", one_after_another(from)}});
  }
}

void check_extension_of(const Profile& profile, const Words& source, const Words& path) {
  try {
    check_extension(profile.spec);
  } catch (const InputError& error) {
    throw InputError::within(source, InputError::within(path, error));
  }
}

ModelConfig parse_model_config(std::string_view text, const std::string& source) {
  const nlohmann::json json = parse_json_object(text, source, kPublishedJson);
  const Section root{&json, {}, as_it_is(source)};
  ModelConfig config;
  auto type = root.text("model_type");
  if (!type) type = root.text("_class_name");
  if (type) config.model_type = type->value;
  config.profiles = read_image_model(root);
  if (config.profiles.empty()) {
    config.profiles = read_text_tower(root);
    read_vision_tower(root, config.profiles);
  }
  return config;
}

namespace {

/// Lower case, '_' and '-' as blanks; "global" and "local" are what ModernBERT calls full and sliding layers.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    plain += c == '_' || c == '-' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (plain.rfind("global", 0) == 0) plain.replace(0, 6, "full");
  if (plain.rfind("local", 0) == 0) plain.replace(0, 5, "sliding");
  return plain;
}

}  // namespace

const Profile& find_profile(const std::vector<Profile>& profiles, const std::string& name, const std::string& source) {
  if (profiles.empty()) throw InputError("config.no_profiles", {{"source", source}});
  if (name.empty()) return profiles.front();
  for (const Profile& profile : profiles) {
    if (profile.name == name) return profile;
  }
  const std::string wanted = plain_name(name);
  const Profile* found = nullptr;
  int matches = 0;
  for (const Profile& profile : profiles) {
    if (plain_name(profile.name).rfind(wanted, 0) != 0) continue;
    found = &profile;
    ++matches;
  }
  if (matches == 1) return *found;
  Words::List names;
  for (const Profile& profile : profiles) names.push_back(as_it_is('"' + profile.name + '"'));
  throw InputError("config.no_profile", {{"source", source}, {"name", in_quotes(name)}, {"names", names}});
}

}  // namespace ropescope
