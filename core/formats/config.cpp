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
    throw InputError(section.source + ": " + hidden.origin + " " + std::to_string(hidden.value) +
                     " is not a multiple of " + heads.origin + " " + std::to_string(heads.value) +
                     ", and there is no head_dim");
  }
  if (hidden.origin == heads.origin) return {hidden.value / heads.value, hidden.origin};
  return {hidden.value / heads.value, hidden.origin + " / " + heads.origin};
}

void check_profile(const Profile& profile, const std::string& source) {
  try {
    validate(profile.spec);
  } catch (const InputError& error) {
    const std::string what = error.what();
    std::string from;
    for (const auto& [value, origin] : profile.origin) {
      if (what.find(value) != std::string::npos) from += (from.empty() ? "" : "; ") + value + " comes from " + origin;
    }
    throw InputError(source + ": profile \"" + profile.name + "\": " + what + (from.empty() ? "" : " (" + from + ")"));
  }
}

void check_extension_of(const Profile& profile, const std::string& source, const std::string& path) {
  try {
    check_extension(profile.spec);
  } catch (const InputError& error) {
    throw InputError(source + ": " + path + ": " + error.what());
  }
}

ModelConfig parse_model_config(std::string_view text, const std::string& source) {
  const nlohmann::json json = parse_json_object(text, source, kPublishedJson);
  const Section root{&json, "", source};
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
  if (profiles.empty()) throw InputError(source + " has no profiles");
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
  std::string names;
  for (const Profile& profile : profiles) names += (names.empty() ? "\"" : ", \"") + profile.name + "\"";
  throw InputError(source + " has no profile " + in_quotes(name) + "; it has " + names);
}

}  // namespace ropescope
