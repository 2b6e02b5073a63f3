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
bool config_looks_rotary(std::string_view name) {
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

/// What says how far a context was extended, whatever the field is called.
bool names_extension(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  return has("scal") || has("yarn") || has("ntk") || has("factor") || has("interpol") || has("dynamic") ||
         has("extend") || has("alpha") || name == "rope_type" || name == "rope_method";
}

/// An object that names a method of extension, under a name that does not look rotary.
bool is_extension_object(const nlohmann::json& value) {
  if (!value.is_object()) return false;
  if (value.contains("rope_type")) return true;
  constexpr const char* kMethods[] = {"yarn", "llama3", "longrope", "su", "dynamic", "linear", "ntk"};
  const auto type = value.find("type");
  return type != value.end() && (value.contains("factor") || value.contains("long_factor")) &&
         std::any_of(std::begin(kMethods), std::end(kMethods), [&](const char* method) { return *type == method; });
}

/// Whether an unread rotary field asks for something, and does not say that there is nothing.
bool asks(std::string_view name, const nlohmann::json& value) {
  if (value.is_boolean()) return value == true && names_extension(name);
  if (value.is_number()) return value != 0 && value != 1 && names_extension(name);
  if (value.is_string()) {
    return value != "" && value != "none" && value != "default" && value != "null" && names_extension(name);
  }
  return value.is_structured() && !value.empty() && (names_extension(name) || is_extension_object(value));
}

/// Another tower's object with a rotary embedding of its own, none of which is read. What turns images says so itself.
bool is_other_tower(std::string_view name, const nlohmann::json& value, const Lookups& lookups) {
  if (!value.is_object() || !name.ends_with("_config") || name.find("vision") != name.npos) return false;
  const auto unread = [&](const char* field) {
    const auto found = value.find(field);
    return found != value.end() && !found->is_null() && lookups.members.count({&value, field}) == 0;
  };
  return lookups.towers.count(&value) == 0 && (unread("rope_theta") || unread("rope_parameters"));
}

/// The fields of a whole file that look rotary and that nobody looked up, the first of them with their values.
struct UnreadFields {
  const Lookups& lookups;
  FileNotes found = {};
  std::int64_t count = 0;

  /// `rotary`: every field of this object counts, whatever its name. `shown`: the ladders shown come from it.
  void look_through(const Section& section, bool rotary, bool shown) {
    for (const auto& [key, value] : section.object->items()) {
      // Whoever names the classes of a classifier may call one "rope".
      if (value.is_null() || lookups.told.count(&value) > 0 || key == "label2id") continue;
      if (is_other_tower(key, value, lookups)) {
        found.notes.push_back({"config_note.other_tower", {{"path", in_quotes(key_text(section.field(key)))}}});
        continue;
      }
      const bool counts = rotary || config_looks_rotary(key) || (shown && is_extension_object(value));
      const bool read = lookups.members.count({section.object, key}) > 0;
      if (counts && !read) {
        tell(section, key, value, shown && (rotary || asks(key, value)));
      } else if (value.is_structured()) {
        look_into(value, section.field(key), section.source, counts, shown && counts);
      }
    }
  }
  /// Objects, and those in lists.
  void look_into(const nlohmann::json& value, const Words& path, const Words& source, bool rotary, bool shown) {
    if (value.is_object()) {
      return look_through({&value, path, source}, rotary, shown || lookups.towers.count(&value) > 0);
    }
    if (!value.is_array()) return;
    for (const nlohmann::json& entry : value) look_into(entry, path, source, rotary, shown);
  }
  void tell(const Section& section, const std::string& key, const nlohmann::json& value, bool asked) {
    const Words note("config_note.unread",
                     {{"field", in_quotes(key_text(section.field(key)))}, {"value", describe(value)}});
    if (asked && found.not_understood.size() < kMostNames) found.not_understood.push_back(note);
    if (++count <= static_cast<std::int64_t>(kMostNames)) found.notes.push_back(note);
  }
};

}  // namespace

FileNotes file_notes(const Section& root, const std::vector<std::string>& doubled) {
  UnreadFields unread{*root.lookups};
  unread.look_through(root, false, true);
  FileNotes& found = unread.found;
  const std::int64_t more = unread.count - static_cast<std::int64_t>(kMostNames);
  if (more > 0) found.notes.push_back({"config_note.unread_more", {{"count", more}}});
  if (!doubled.empty()) found.notes.push_back({"config_note.doubled", {{"keys", quoted_names(doubled)}}});
  return found;
}

namespace {

void add_all(const Words::List& more, Words::List& list) {
  list.insert(list.end(), more.begin(), more.end());
}

}  // namespace

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
  const FileNotes found = file_notes(root, doubled);
  Words::List& first = config.profiles.front().notes;
  first.insert(first.end(), found.notes.begin(), found.notes.end());
  for (Profile& profile : config.profiles) {
    const bool beside = profile.name == "vision" && config.profiles.size() > 1;
    if (!beside) add_all(found.not_understood, profile.not_understood);
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

void require_understood(const Profile& profile, const std::string& source) {
  if (profile.not_understood.empty()) return;
  throw InputError(source, "config.not_understood", {{"what", profile.not_understood.front()}});
}

Words::List notes_for_verdicts(const Profile& profile) {
  constexpr std::string_view kTold[] = {"config_note.unknown_type",
                                        "config_note.no_type",
                                        "config_note.by_architecture",
                                        "config_note.nested",
                                        "config_note.unknown_class",
                                        "config_note.unknown_key",
                                        "config_note.unknown_keys",
                                        "config_note.no_rope_type",
                                        "config_note.two_types",
                                        "config_note.unread",
                                        "config_note.unread_more",
                                        "config_note.doubled",
                                        "config_note.both_objects",
                                        "config_note.laid_over",
                                        "config_note.no_layer_types",
                                        "config_note.fractions",
                                        "config_note.values",
                                        "config_note.whole_head",
                                        "config_note.rotary_dim_unread",
                                        "config_note.half_turned",
                                        "config_note.scaled_rope",
                                        "config_note.scaling_beta",
                                        "config_note.softmax_scale",
                                        "config_note.dynamic_ntk",
                                        "config_note.far_amplitude",
                                        "config_note.sliding_only",
                                        "config_note.mixed_only",
                                        "config_note.unrotated",
                                        "config_note.unrotated_type",
                                        "config_note.one_unrotated_in",
                                        "config_note.one_unrotated_in_of",
                                        "config_note.other_frequencies",
                                        "config_note.stored_frequencies",
                                        "config_note.vision_not_shown",
                                        "config_note.merged_patches",
                                        "gguf_note.unknown_architecture",
                                        "gguf_note.no_lists",
                                        "gguf_note.unread",
                                        "gguf_note.unread_tensor"};
  Words::List notes;
  for (const Words& note : profile.notes) {
    if (std::find(std::begin(kTold), std::end(kTold), note.key) != std::end(kTold)) notes.push_back(note);
  }
  return notes;
}

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
