// Contents: Presets; Models to check; Two models.

#include "core/formats/models.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/check/specs/compare_specs.h"
#include "core/formats/config.h"
#include "core/formats/config_parts.h"
#include "core/formats/json.h"
#include "core/layouts/layout.h"
#include "core/words.h"

namespace ropescope {

// --- Presets -------------------------------------------------------------------------------------------------------

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

// --- Models to check -----------------------------------------------------------------------------------------------

namespace {

void take_traits(const Profile& profile, const std::string& model_type, CheckReference& reference) {
  // Latent attention: the channels that turn are a part of their own behind those that do not.
  reference.turned_last = std::any_of(profile.notes.begin(), profile.notes.end(),
                                      [](const Words& note) { return note.key == "config_note.latent_attention"; });
  // The released code turns the values with the keys, and the output back by its own position.
  const auto is_v4 = [](const Words& note) {
    const auto says = [](const Words::Named& named) {
      const auto* type = std::get_if<std::string>(&named.value);
      return type != nullptr && *type == "deepseek_v4";
    };
    return note.key == "config_note.by_architecture" && std::any_of(note.values.begin(), note.values.end(), says);
  };
  reference.turns_back = model_type == "deepseek_v4" || model_type == "deepseek4" ||
                         std::any_of(profile.notes.begin(), profile.notes.end(), is_v4);
}

}  // namespace

void take_model(const std::vector<Profile>& profiles, const std::string& model_type, const Profile& own,
                CheckReference& reference) {
  take_traits(own, model_type, reference);
  if (profiles.size() < 2) return;
  reference.profile = own.name;
  for (const Profile& profile : profiles) {
    if (profile.name == own.name || profile.spec.axes.size() > 1 || !profile.not_understood.empty()) continue;
    try {
      CheckReference other = reference_from_rope(profile.spec, reference.length, reference.positions);
      other.profile = profile.name;
      other.of_gguf = reference.of_gguf;
      take_traits(profile, model_type, other);
      reference.others.push_back(std::move(other));
    } catch (const InputError&) {
      // What cannot be computed is nothing to try.
    }
  }
}

// --- Two models ----------------------------------------------------------------------------------------------------

namespace {

using Profiles = std::vector<Profile>;

const Profile* find_named(const Profiles& profiles, const std::string& name) {
  const auto found =
      std::find_if(profiles.begin(), profiles.end(), [&](const Profile& profile) { return profile.name == name; });
  return found == profiles.end() ? nullptr : &*found;
}

/// What has no counterpart among the layers of another side that does not name it.
bool stands_apart(const Profile& profile) {
  return profile.name == "vision" || profile.name == "indexer" || profile.name == "linear attention";
}

/// Two profiles that say how the same layers turn.
struct Matched {
  const Profile* a = nullptr;
  const Profile* b = nullptr;
  std::string name;
};

/// The profile of the other side that stands for the same layers; null for a vision tower or an indexer that is not
/// there.
const Profile* counterpart(const Profile& profile, const Profiles& others) {
  if (const Profile* same = find_named(others, profile.name)) return same;
  if (stands_apart(profile) && !stands_apart(others.front())) return nullptr;
  return &others.front();
}

std::vector<Matched> matched(const Profiles& a, const Profiles& b, Words::List& remarks) {
  std::vector<Matched> pairs;
  const auto add = [&](const Profile& of_a, const Profile& of_b, const std::string& name) {
    const auto known = [&](const Matched& one) { return one.a == &of_a && one.b == &of_b; };
    if (std::none_of(pairs.begin(), pairs.end(), known)) pairs.push_back({&of_a, &of_b, name});
  };
  for (const Profile& profile : a) {
    if (const Profile* other = counterpart(profile, b)) {
      // "text" against several kinds: each of them is met from the other side, under its own name.
      if (find_named(b, profile.name) || profile.name != "text") add(profile, *other, profile.name);
    } else {
      remarks.push_back({"compare.only_a", {{"profile", profile.name}}});
    }
  }
  for (const Profile& profile : b) {
    if (find_named(a, profile.name)) continue;
    if (const Profile* other = counterpart(profile, a)) {
      add(*other, profile, profile.name);
    } else {
      remarks.push_back({"compare.only_b", {{"profile", profile.name}}});
    }
  }
  return pairs;
}

/// The pairs of the channels as the model was trained, before its weights were reordered.
RotarySpec as_trained(const Profile& profile) {
  RotarySpec spec = profile.spec;
  if (profile.permuted) spec.pairing = Pairing::half_split;
  return spec;
}

void add(const SpecDifference& found, const std::string& profile, ModelComparison& comparison) {
  ModelDifference difference{found, profile};
  (found.harmless ? comparison.notes : comparison.differences).push_back(std::move(difference));
}

void compare_profiles(const ModelSide& a, const ModelSide& b, const CompareOptions& options,
                      ModelComparison& comparison) {
  for (const Matched& pair : matched(a.profiles, b.profiles, comparison.remarks)) {
    const SpecComparison specs = compare_specs(as_trained(*pair.a), as_trained(*pair.b), options);
    comparison.agrees &= specs.agrees;
    for (const SpecDifference& found : specs.differences) add(found, pair.name, comparison);
    if (pair.a->permuted != pair.b->permuted) {
      comparison.remarks.push_back({pair.a->permuted ? "compare.permuted_a" : "compare.permuted_b", {}});
    }
  }
  const auto twice = std::unique(comparison.remarks.begin(), comparison.remarks.end());
  comparison.remarks.erase(twice, comparison.remarks.end());
}

FixedLayout fixed(const LayoutConfig& config) {
  return {&find_layout(config.layout), config.request};
}

/// What the profiles have said already is not said again of the layout.
void compare_tokens(const ModelSide& a, const ModelSide& b, ModelComparison& comparison) {
  for (const SpecDifference& found : compare_layouts(fixed(*a.layout), fixed(*b.layout))) {
    const auto said = [&](const ModelDifference& known) { return known.cause == found.cause; };
    const auto& known = comparison.differences;
    comparison.agrees &= found.harmless;
    if (found.harmless || std::none_of(known.begin(), known.end(), said)) add(found, "layout", comparison);
  }
}

}  // namespace

ModelComparison compare_models(const ModelSide& a, const ModelSide& b, const CompareOptions& options) {
  const bool profiles = !a.profiles.empty() && !b.profiles.empty();
  const bool layouts = a.layout && b.layout;
  if (!profiles && !layouts) throw InputError("compare.nothing_common", {});
  ModelComparison comparison;
  if (profiles) compare_profiles(a, b, options, comparison);
  if (layouts) compare_tokens(a, b, comparison);
  if (a.layout && !b.layout) comparison.remarks.emplace_back("compare.layout_only_a");
  if (b.layout && !a.layout) comparison.remarks.emplace_back("compare.layout_only_b");
  return comparison;
}

}  // namespace ropescope
