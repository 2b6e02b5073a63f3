#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/formats/config.h"
#include "core/formats/config_towers.h"
#include "core/formats/json_reader.h"
#include "core/layouts/layout.h"

namespace ropescope {

namespace {

using nlohmann::json;

constexpr std::size_t kMostProfiles = 16;
constexpr std::size_t kMostAxes = 8;
constexpr std::size_t kMostNumbers = 32;

/// A key that the schema does not have is a mistake, not an extra.
void check_keys(const Section& section, std::initializer_list<const char*> known) {
  for (const auto& [key, value] : section.object->items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    Words::List names;
    for (const char* name : known) names.push_back(as_it_is(name));
    if (section.path.empty()) {
      throw InputError(section.source, "preset.unknown_key", {{"key", in_quotes(key)}, {"known", names}});
    }
    throw InputError(section.source, "preset.unknown_key_in",
                     {{"key", in_quotes(key)}, {"path", section.path}, {"known", names}});
  }
}

template <class T>
T needed(const Section& section, const char* key, const std::optional<Read<T>>& found) {
  if (!found) section.reject(key, Words("expected.value"));
  return found->value;
}

/// The objects of a list.
std::vector<Section> sections(const Section& parent, const char* key, std::size_t most) {
  const json* list = parent.find(key);
  if (!list || !list->is_array() || list->empty() || list->size() > most) {
    parent.reject(key, {"expected.objects", {{"most", most}}});
  }
  std::vector<Section> found;
  for (const json& entry : *list) {
    const Words path = as_it_is(key_text(parent.field(key)) + "[" + std::to_string(found.size()) + "]");
    if (!entry.is_object()) {
      throw InputError(parent.source, "field",
                       {{"field", path}, {"found", describe(entry)}, {"expected", Words("expected.object")}});
    }
    found.push_back(Section{&entry, path, parent.source});
  }
  return found;
}

RotaryAxis read_axis(const Section& section) {
  check_keys(section, {"name", "rotary_dim", "base", "ladder", "live_fraction", "factor"});
  RotaryAxis axis;
  axis.name = one_line(std::string(needed(section, "name", section.text("name"))));  // messages name it
  axis.rotary_dim = needed(section, "rotary_dim", section.whole("rotary_dim"));
  axis.base = needed(section, "base", section.positive("base"));
  if (const auto ladder = section.text("ladder")) {
    if (ladder->value != "plain" && ladder->value != "proportional") {
      section.reject("ladder", one_of(std::vector<std::string>{"\"plain\"", "\"proportional\""}));
    }
    if (ladder->value == "proportional") axis.ladder = Ladder::proportional;
  }
  for (const char* key : {"live_fraction", "factor"}) {
    if (section.has(key) && axis.ladder == Ladder::plain) section.reject(key, Words("preset.proportional_ladder"));
  }
  if (const auto fraction = section.positive("live_fraction")) axis.live_fraction = fraction->value;
  if (const auto factor = section.positive("factor")) axis.factor = factor->value;
  return axis;
}

Extension read_extension_preset(const Section& section) {
  check_keys(section, {"method", "numbers", "lists"});
  Extension extension;
  extension.method = needed(section, "method", section.text("method"));
  if (const auto numbers = section.section("numbers")) {
    if (numbers->object->size() > kMostNumbers) section.reject("numbers", Words("preset.few_numbers"));
    for (const auto& [key, value] : numbers->object->items()) {
      extension.numbers[key] = needed(*numbers, key.c_str(), numbers->number(key));
    }
  }
  if (const auto lists = section.section("lists")) {
    if (lists->object->size() > kMostNumbers) section.reject("lists", Words("preset.few_lists"));
    for (const auto& [key, value] : lists->object->items()) {
      extension.lists[key] = needed(*lists, key.c_str(), lists->numbers(key));
    }
  }
  return extension;
}

/// A text, said as it is in every language, or {"key": "window", "positions": "4096"}: the text "config_note.window"
/// and its values.
Words read_note(const Section& section, const json& note) {
  if (note.is_string()) return as_it_is(note.get<std::string>());
  const auto is_text = [](const json& value) { return value.is_string(); };
  if (!note.is_object() || !note.contains("key") || !std::all_of(note.begin(), note.end(), is_text)) {
    section.reject("notes", Words("expected.notes"));
  }
  Words words("config_note." + note["key"].get<std::string>());
  for (const auto& [name, value] : note.items()) {
    if (name != "key") words.values.emplace_back(name, value.get<std::string>());
  }
  return words;
}

Profile read_profile_preset(const Section& section) {
  check_keys(section,
             {"name", "head_dim", "pairing", "axes", "trained_length", "context_length", "extension", "notes"});
  Profile profile;
  profile.name = one_line(std::string(needed(section, "name", section.text("name"))));
  RotarySpec& spec = profile.spec;
  spec.head_dim = needed(section, "head_dim", section.whole("head_dim"));
  const std::string pairing = needed(section, "pairing", section.text("pairing"));
  if (pairing != "interleaved" && pairing != "half") {
    section.reject("pairing", one_of(std::vector<std::string>{"\"interleaved\"", "\"half\""}));
  }
  spec.pairing = pairing == "half" ? Pairing::half_split : Pairing::interleaved;
  spec.axes.clear();
  for (const Section& axis : sections(section, "axes", kMostAxes)) spec.axes.push_back(read_axis(axis));
  if (const auto length = section.positive("trained_length")) spec.trained_length = length->value;
  if (const auto length = section.positive("context_length")) profile.context_length = length->value;
  if (const auto extension = section.section("extension")) spec.extension = read_extension_preset(*extension);
  if (const json* notes = section.find("notes")) {
    if (!notes->is_array()) section.reject("notes", Words("expected.notes"));
    for (const json& note : *notes) profile.notes.push_back(read_note(section, note));
  }
  for (const char* value : {"head_dim", "rotary_dim", "base", "pairing", "extension", "trained_length"}) {
    profile.origin[value] = Words("origin.preset");
  }
  check_profile(profile, section.source);
  check_extension_of(profile, section.source, section.field("extension"));
  return profile;
}

}  // namespace

Preset parse_preset(std::string_view text, const std::string& id) {
  const Words source("preset.named", {{"id", id}});
  const json json = parse_json_object(text, source);
  const Section root{&json, {}, source};
  check_keys(root, {"name", "source", "layout", "profiles"});
  Preset preset;
  preset.id = id;
  preset.name = one_line(std::string(needed(root, "name", root.text("name"))));
  preset.source = needed(root, "source", root.text("source"));
  if (const auto layout = root.text("layout")) find_layout(layout->value);
  for (const Section& section : sections(root, "profiles", kMostProfiles)) {
    Profile profile = read_profile_preset(section);
    for (const Profile& other : preset.profiles) {
      if (other.name == profile.name) section.reject("name", Words("preset.other_name"));
    }
    preset.profiles.push_back(std::move(profile));
  }
  return preset;
}

}  // namespace ropescope
