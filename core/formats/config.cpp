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

namespace {

/// Whether a field's name looks rotary: one of its words, letters between other signs, has "rope" in it ("mrope",
/// "layer3d_rope", "rope_magic") or is rotary's own ("theta", "yarn"), or two of them are ("base_freq", "inv_freq").
/// "property" has no such word, and no "moe_layer_freq" such a pair.
bool looks_rotary(std::string_view name) {
  constexpr std::size_t kLongestLookedAt = 256;  // whoever writes more wants to keep a reader busy
  std::vector<std::string> words(1);
  for (const char c : name.substr(0, kLongestLookedAt)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  const auto is_rotary = [](const std::string& word) {
    constexpr std::string_view kRope = "rope";
    const bool begins = word.rfind(kRope, 0) == 0;
    const bool ends = word.size() >= kRope.size() && word.compare(word.size() - kRope.size(), kRope.size(), kRope) == 0;
    return begins || ends || word.rfind("rotary", 0) == 0 || word == "theta" || word == "yarn" || word == "ntk";
  };
  if (std::any_of(words.begin(), words.end(), is_rotary)) return true;
  const auto has = [&](std::initializer_list<const char*> any) {
    return std::any_of(any.begin(), any.end(),
                       [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); });
  };
  return has({"freq", "freqs", "frequency", "frequencies"}) && has({"base", "inv", "inverse"});
}

/// The fields of a whole file that look rotary and that nobody looked up, the first of them with their values.
struct UnreadFields {
  const Lookups& lookups;
  Words::List notes;
  std::int64_t count = 0;

  /// `rotary`: every field of this object counts, whatever its name.
  void look_through(const Section& section, bool rotary) {
    for (const auto& [key, value] : section.object->items()) {
      // Whoever names the classes of a classifier may call one "rope".
      if (value.is_null() || lookups.told.count(&value) > 0 || key == "label2id") continue;
      const bool counts = rotary || looks_rotary(key);
      const bool read = lookups.members.count({section.object, key}) > 0;
      if (counts && !read) {
        tell(section, key, value);
      } else if (value.is_structured()) {
        look_into(value, section.field(key), section.source, counts);
      }
    }
  }
  /// Objects, and those in lists.
  void look_into(const nlohmann::json& value, const Words& path, const Words& source, bool rotary) {
    if (value.is_object()) return look_through({&value, path, source}, rotary);
    if (!value.is_array()) return;
    for (const nlohmann::json& entry : value) look_into(entry, path, source, rotary);
  }
  void tell(const Section& section, const std::string& key, const nlohmann::json& value) {
    if (++count > static_cast<std::int64_t>(kMostNames)) return;
    notes.push_back(
        {"config_note.unread", {{"field", in_quotes(key_text(section.field(key)))}, {"value", describe(value)}}});
  }
};

}  // namespace

Words::List file_notes(const Section& root, const std::vector<std::string>& doubled) {
  UnreadFields unread{*root.lookups, {}, 0};
  unread.look_through(root, false);
  const std::int64_t more = unread.count - static_cast<std::int64_t>(unread.notes.size());
  if (more > 0) unread.notes.push_back({"config_note.unread_more", {{"count", more}}});
  if (!doubled.empty()) unread.notes.push_back({"config_note.doubled", {{"keys", quoted_names(doubled)}}});
  return unread.notes;
}

ModelConfig parse_model_config(std::string_view text, const std::string& source) {
  std::vector<std::string> doubled;
  const nlohmann::json json = parse_json_object(text, source, kPublishedJson, &doubled);
  Lookups lookups;
  const Section root{&json, {}, as_it_is(source), &lookups};
  ModelConfig config;
  auto type = root.text("model_type");
  if (!type) type = root.text("_class_name");
  if (type) config.model_type = type->value;
  config.profiles = read_image_model(root);
  if (config.profiles.empty()) {
    config.profiles = read_text_tower(root);
    read_vision_tower(root, config.profiles);
  }
  const Words::List notes = file_notes(root, doubled);
  Words::List& first = config.profiles.front().notes;
  first.insert(first.end(), notes.begin(), notes.end());
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
