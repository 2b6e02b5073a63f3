// Shared functions of the config readers: checks of values, RoPE objects, unread fields. Read config_parts.h first.
//
// Contents: Fields; Values; Extension; Unread fields.

#include "core/formats/families/config_parts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "core/formats/config.h"
#include "core/formats/nlohmann.h"
#include "core/message.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Fields --------------------------------------------------------------------------------------------------------

namespace {

/// A spelling of a field in published configs of language models.
struct FieldName {
  const char* name;
  FieldMeaning meaning = FieldMeaning::named;
  int evidence = 0;  ///< place among the fields that show that an unknown class is rotary; 0: it does not show it
};

// clang-format off
constexpr auto kFieldNames = [] {
  using enum FieldMeaning;
  return std::to_array<FieldName>({
    {"rope_theta", base, 1}, {"global_rope_theta", base, 15}, {"rope_global_theta", base}, {"rope_theta_global", base},
    {"rotary_emb_base", base, 4}, {"rotary_embedding_base", base, 20}, {"rope_embedding_base", base, 21},
    {"rope_freq_constant", base, 22}, {"theta", base}, {"rotary_base", base, 24}, {"position_embedding_base", base, 28},
    {"rope_local_base_freq", sliding_base, 14}, {"local_rope_theta", sliding_base},
    {"rope_local_theta", sliding_base, 23}, {"rope_theta_local", sliding_base}, {"swa_rope_theta", sliding_base, 16},
    {"compress_rope_theta", compressed_base},
    {kFractionField, fraction, 8}, {"rotary_pct", fraction, 5}, {"rope_pct", fraction, 6},
    {"rotary_emb_fraction", fraction, 9}, {"rotary_percent", fraction, 25},
    {"rotary_dim", rotary_dim, 7}, {"pe_rotary_dims", rotary_dim, 12}, {"rotary_embedding_dim", rotary_dim, 26},
    {"rotary_emb_interleaved", interleaved}, {"rope_interleave", interleaved}, {"rope_interleaved", interleaved},
    {"rotary_interleaved", interleaved}, {"rope_traditional", interleaved},
    {"head_dim", head_dim}, {"attention_head_dim", head_dim}, {"kv_channels", head_dim}, {"head_width", head_dim},
    {"hidden_size_per_head", head_dim}, {"head_size", head_dim}, {"d_kv", head_dim},
    {"hidden_size", hidden}, {"n_embd", hidden}, {"d_model", hidden}, {"dim", hidden}, {"model_dim", hidden},
    {"hidden_dim", hidden},
    {"num_attention_heads", heads}, {"n_head", heads}, {"n_heads", heads}, {"num_heads", heads},
    {"decoder_num_attention_heads", heads}, {"speech_encoder_attention_heads", heads},
    {"max_trained_positions", length}, {"max_position_embeddings", length}, {"n_positions", length},
    {"seq_length", length}, {"seq", length}, {"max_sequence_length", length}, {"max_seq_len", length},
    {"max_context_length", length}, {"model_max_length", length}, {"context_window_size", length},
    {"sliding_window", window}, {"sliding_window_size", window}, {"attention_window_size", window},
    {"attention_chunk_size", window},
    {"num_hidden_layers", layers}, {"num_layers", layers}, {"n_layer", layers}, {"n_layers", layers},
    {"num_transformer_layers", layers},
    {"rope_parameters", named, 2}, {"rope_scaling", named, 3}, {"rotary_scaling", named, 27},
    {"qk_rope_head_dim", named, 10}, {"qk_nope_head_dim"}, {"rope_ratio", named, 11}, {"rotary_value", named, 13},
    {"no_rope_layers", named, 17}, {"original_rope", named, 18}, {"layer_rope_theta", named, 19},
    {"indexer_rope_interleave"}, {"partial_rotary_factors"}, {"yarn_only_types"}, {"use_rope_layers"}, {"rope_layout"},
    {"rope_max_length"}, {"mla_use_nope"}, {"use_rope"}, {"no_rope_layer_interval"}, {"rotary"},
    {"rotary_emb_scale_base"}, {"attn_rotary_emb"}, {"use_mem_rope"},
  });
}();
// clang-format on

}  // namespace

Spellings spellings_of(FieldMeaning meaning) {
  static const auto by_meaning = [] {
    std::map<FieldMeaning, std::vector<const char*>> names;
    for (const FieldName& field : kFieldNames) names[field.meaning].push_back(field.name);
    return names;
  }();
  return by_meaning.at(meaning);
}

Spellings rotary_evidence() {
  static const auto in_order = [] {
    std::map<int, const char*> by_place;
    for (const FieldName& field : kFieldNames) by_place.emplace(field.evidence, field.name);
    by_place.erase(0);
    std::vector<const char*> names;
    for (const auto& [place, name] : by_place) names.push_back(name);
    return names;
  }();
  return in_order;
}

std::vector<const char*> understood_names() {
  std::vector<const char*> names;
  for (const FieldName& field : kFieldNames) {
    if (field.meaning == FieldMeaning::named || field_looks_rotary(field.name)) names.push_back(field.name);
  }
  return names;
}

// --- Values --------------------------------------------------------------------------------------------------------

Read<int> head_quotient(const Section& section, const Read<int>& hidden, const Read<int>& heads) {
  if (hidden.value % heads.value != 0) {
    throw InputError(section.source, "config.not_a_multiple",
                     {{"field", hidden.origin}, {"value", hidden.value}, {"heads", heads.origin}, {"of", heads.value}});
  }
  if (hidden.origin == heads.origin) return {hidden.value / heads.value, hidden.origin};
  return {hidden.value / heads.value, quotient_of(hidden.origin, heads.origin)};
}

Message numbers_of_layers(const std::vector<int>& layers) {
  std::vector<std::pair<int, int>> runs;  // first and last
  for (const int layer : layers) {
    if (runs.empty() || runs.back().second + 1 != layer) runs.emplace_back(layer, layer);
    runs.back().second = layer;
  }
  const std::size_t count = runs.size();
  bool even = count > 3;
  for (std::size_t i = 1; i < count; ++i) {
    even = even && runs[i].first - runs[i - 1].first == runs[1].first - runs[0].first &&
           runs[i].second - runs[i - 1].second == runs[1].first - runs[0].first;
  }
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    if (even && i > 1 && i + 1 < count) continue;
    const auto [first, last] = runs[i];
    text += i == 0 ? "" : even && i + 1 == count ? ", …, " : ", ";
    text += std::to_string(first);
    if (last > first) text += (last == first + 1 ? ", " : "–") + std::to_string(last);
  }
  return verbatim(text);
}

void note_layers_of(const std::string& profile, const std::vector<int>& layers, std::size_t total,
                    Message::List& notes) {
  Message note("config_note.no_layers_of", {{"profile", profile}, {"layers", total}});
  if (!layers.empty()) {
    note = {
        "config_note.layers_of",
        {{"profile", profile}, {"count", layers.size()}, {"layers", total}, {"numbers", numbers_of_layers(layers)}}};
  }
  notes.push_back(std::move(note));
}

void note_window_of_some(const Read<int>& window, const std::vector<int>& layers, std::size_t total,
                         Message::List& notes) {
  notes.push_back({"config_note.window_of_some",
                   {{"count", layers.size()},
                    {"layers", total},
                    {"positions", window.value},
                    {"field", window.origin},
                    {"numbers", numbers_of_layers(layers)}}});
}

void note_unrotated_layers(int interval, const std::vector<int>& layers, std::size_t total, Message::List& notes) {
  const Message::Named one_in("interval", interval), count("count", layers.size()), all("layers", total);
  const Message::Named numbers("numbers", numbers_of_layers(layers));
  if (interval > 0 && total == 0) {
    notes.push_back({"config_note.one_unrotated_in", {one_in}});
  } else if (interval > 0) {
    notes.push_back({"config_note.one_unrotated_in_of", {one_in, count, all, numbers}});
  } else if (!layers.empty()) {
    notes.push_back({"config_note.unrotated", {count, all, numbers}});
  }
}

void take_pretrained_length(std::vector<Profile>& profiles) {
  constexpr double kPretrained = 32768;
  const bool divided = std::any_of(profiles.begin(), profiles.end(), [](const Profile& profile) {
    return profile.spec.extension.method == "linear" && profile.spec.trained_length.value_or(0) > kPretrained;
  });
  if (!divided) return;
  for (Profile& profile : profiles) {
    profile.context_length = std::exchange(profile.spec.trained_length, kPretrained);
    profile.origin["trained_length"] = verbatim("arXiv 2503.19786");
  }
}

void check_profile(const Profile& profile, const Message& source) {
  try {
    validate(profile.spec);
  } catch (const InputError& error) {
    Message::List from;
    for (const auto& [value, origin] : profile.origin) {
      const bool named = debug_text(error.words()).find(value) != std::string::npos;
      if (named) from.push_back({"origin.of_value", {{"value", value}, {"origin", origin}}});
    }
    const Message& what = error.words();
    if (from.empty()) throw InputError(source, "config.profile", {{"name", profile.name}, {"what", what}});
    throw InputError(source, "config.profile_from",
                     {{"name", profile.name}, {"what", what}, {"origins", join_sentences(from)}});
  }
}

void check_extension_of(const Profile& profile, const Message& source, const Message& path) {
  try {
    check_extension(profile.spec);
  } catch (const InputError& error) {
    throw InputError::within(source, InputError::within(path, error));
  }
}

// --- Extension -----------------------------------------------------------------------------------------------------

namespace {

struct RopeName {
  const char* in_file;
  const char* in_extension;
};

/// Names of methods that differ from those in core/scaling.
constexpr RopeName kTypes[] = {{"default", "none"},  {"mrope", "none"},         {"su", "longrope"},
                               {"ntk", "ntk-aware"}, {"deepseek_yarn", "yarn"}, {"xdrope", "dynamic"}};
/// Names of parameters that differ; all others have the same name.
constexpr RopeName kRopeNumbers[] = {{"low_freq_factor", "low_frequency_factor"},
                                     {"high_freq_factor", "high_frequency_factor"},
                                     {"alpha", "ntk_alpha"},
                                     {"partial_rotary_factor", "live_fraction"}};
constexpr RopeName kLists[] = {{"short_factor", "short_factors"}, {"long_factor", "long_factors"}};
// clang-format off
/// Keys that other code reads, that belong to a method other than the object's, or that do not affect frequencies.
constexpr const char* kRopeUnderstood[] = {
    "rope_type", "type", "rope_theta", "partial_rotary_factor", "factor", "original_max_position_embeddings",
    "max_position_embeddings", "attention_factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim", "truncate",
    "low_freq_factor", "high_freq_factor", "short_factor", "long_factor", "short_mscale", "long_mscale", "alpha",
    "mrope_section", "mrope_interleaved", "interleaved", "xdrope_section", "llama_4_scaling_beta", "finetuned"
};
// clang-format on

/// Keys of vLLM, and the value without an effect. Source: vllm-project/vllm YaRNScalingRotaryEmbedding.
bool changes_nothing(std::string_view key, const nlohmann::json& value) {
  static const std::map<std::string_view, nlohmann::json> without_effect = {
      {"extrapolation_factor", 1}, {"attn_factor", 1}, {"apply_yarn_scaling", true}};
  const auto found = without_effect.find(key);
  return found != without_effect.end() && value == found->second;
}

/// Keys that only an extension method has, for an object without a type: long_factor without a type.
constexpr const char* kOfMethods[] = {"factor",           "short_factor",    "long_factor", "beta_fast",
                                      "beta_slow",        "low_freq_factor", "alpha",       "high_freq_factor",
                                      "attention_factor", "mscale_all_dim"};

std::string method_of(const Section& section, const std::string& type) {
  std::string method = type;
  for (const RopeName& name : kTypes) {
    if (type == name.in_file) method = name.in_extension;
  }
  // Hunyuan uses "dynamic" or "xdrope" for a fixed alpha.
  return method == "dynamic" && section.has("alpha") ? "ntk-alpha" : method;
}

/// Notes parameters without a method. transformers 5 uses the plain ladder, 4 fails; the intended method is unknown.
void note_no_type(const Section& section, RopeObject& rope) {
  if (section.has("rope_type") || section.has("type")) return;
  Message::List keys;
  for (const char* key : kOfMethods) {
    if (section.has(key)) keys.push_back(verbatim(in_quotes(key)));
  }
  if (keys.empty()) return;
  rope.not_understood.push_back({"config_note.no_rope_type", {{"path", section.path}, {"keys", keys}}});
  rope.notes.push_back(rope.not_understood.back());
}

/// Notes lists of longrope under another type: in transformers the type alone decides.
void note_unused_lists(const Section& section, const ScalingMethod& method, RopeObject& rope) {
  const auto type = section.has("rope_type") ? section.text("rope_type") : section.text("type");
  if (!type || find_list(method, kLists[0].in_extension)) return;
  Message::List keys;
  for (const RopeName& name : kLists) {
    if (section.has(name.in_file)) keys.push_back(verbatim(in_quotes(name.in_file)));
  }
  if (keys.empty()) return;
  rope.notes.push_back(
      {"config_note.unused_lists", {{"path", section.path}, {"keys", keys}, {"type", in_quotes(type->value)}}});
}

/// Notes two contradicting types: transformers reads only `rope_type` if both are present.
void note_two_types(const Section& section, Message::List& notes) {
  const auto type = section.text("rope_type"), older = section.text("type");
  if (!type || !older || method_of(section, type->value) == method_of(section, older->value)) return;
  notes.push_back({"config_note.two_types",
                   {{"taken", type->origin},
                    {"value", in_quotes(type->value)},
                    {"other", older->origin},
                    {"otherwise", in_quotes(older->value)}}});
}

std::string key_of(const Section& section, std::string_view parameter) {
  for (const RopeName& name : kRopeNumbers) {
    if (name.in_extension == parameter && section.has(name.in_file)) return name.in_file;
  }
  return std::string(parameter);
}

/// Returns whether a beta is 0, which counts as missing: transformers computes `beta_slow or 1`.
bool is_no_beta(const Section& section, const std::string& key, const ScalingField& parameter, Message::List& notes) {
  if (key.rfind("beta_", 0) != 0 || section.number(key)->value != 0) return false;
  notes.push_back({"config_note.zero_beta", {{"field", section.field(key)}, {"value", parameter.initial}}});
  return true;
}

/// Reads the parameters of the method; files often contain parameters of other methods too.
void read_parameters(const Section& section, const ScalingMethod& method, Extension& extension, Message::List& notes) {
  for (const ScalingField& parameter : method.parameters) {
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
  for (const RopeName& name : kLists) {
    if (!find_list(method, name.in_extension)) continue;
    const auto found = section.numbers(name.in_file);
    if (!found) continue;
    for (const double factor : found->value) {
      if (!(factor > 0)) section.reject(name.in_file, Message("expected.numbers_above_0"));
    }
    extension.lists[name.in_extension] = found->value;
  }
}

const ScalingMethod& known_method(const Section& section, const std::string& name, const Message& origin) {
  try {
    return find_scaling_method(one_line(name));  // no known name has a line break; messages must not have one
  } catch (const InputError& error) {
    throw InputError::within(section.source, InputError::within(origin, error));
  }
}

void add_notes(const Section& section, const ScalingMethod& method, RopeObject& rope) {
  Message::List& notes = rope.notes;
  std::int64_t count = 0;
  for (const auto& [key, value] : section.object->items()) {
    const bool understood =
        find_parameter(method, key) ||
        std::find(std::begin(kRopeUnderstood), std::end(kRopeUnderstood), key) != std::end(kRopeUnderstood);
    if (understood || value.is_null() || changes_nothing(key, value)) continue;
    if (++count > static_cast<std::int64_t>(kMaxListedNames)) continue;
    notes.push_back({"config_note.unknown_key",
                     {{"path", section.path}, {"key", in_quotes(key)}, {"value", describe_value(value)}}});
  }
  const std::int64_t more = count - static_cast<std::int64_t>(notes.size());
  if (more > 0) notes.push_back({"config_note.unknown_keys", {{"path", section.path}, {"count", more}}});
  rope.not_understood = notes;
  if (section.has("llama_4_scaling_beta")) {
    notes.push_back({"config_note.scaling_beta", {{"field", section.field("llama_4_scaling_beta")}}});
  }
  note_no_type(section, rope);
  note_unused_lists(section, method, rope);
  note_two_types(section, notes);
  if (section.lookups) section.lookups->told.insert(section.object);
}

// --- Unread fields -------------------------------------------------------------------------------------------------

/// Words of a field that looks rotary but does not affect frequencies: precision, caching and computation of the
/// tables, their length, which layers there are.
constexpr std::string_view kNotOfFrequencies[] = {
    "cache", "cached", "fused",   "fuse",  "fusion",    "flash",   "kernel",  "triton", "fp32",
    "fp16",  "bf16",   "float32", "dtype", "precision", "backend", "device",  "max",    "length",
    "len",   "layers", "layer",   "impl",  "apex",      "compile", "version", "num",    "heads"};

std::vector<std::string> words_of_field(std::string_view name) {
  constexpr std::size_t kLongestLookedAt = 256;  // bounds the time for very long names
  std::vector<std::string> words(1);
  for (const char c : name.substr(0, kLongestLookedAt)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

/// Returns whether an object names an extension method, under a name that does not look rotary. A tower that has the
/// field among all its others is not one (LTX-2).
bool is_extension_object(const nlohmann::json& value) {
  if (!value.is_object()) return false;
  constexpr std::size_t kMaxFields = 16;
  if (value.contains("rope_type")) return value.size() <= kMaxFields;
  constexpr const char* kMethods[] = {"yarn", "llama3", "longrope", "su", "dynamic", "linear", "ntk"};
  const auto type = value.find("type");
  return type != value.end() && (value.contains("factor") || value.contains("long_factor")) &&
         std::any_of(std::begin(kMethods), std::end(kMethods), [&](const char* method) { return *type == method; });
}

/// Returns whether a name states how far a context was extended: then its value changes frequencies in any case.
bool names_extension(std::string_view name) {
  constexpr std::string_view kParts[] = {"scal", "yarn", "ntk", "factor", "interpol", "dynamic", "extend", "alpha"};
  return std::any_of(std::begin(kParts), std::end(kParts),
                     [&](std::string_view part) { return name.find(part) != name.npos; });
}

/// Returns whether a switch states only that there is a rotary embedding.
bool is_plain_switch(const std::vector<std::string>& words) {
  constexpr std::string_view kPlain[] = {"use",  "apply",  "with", "enable",   "enabled", "is",        "has",
                                         "rope", "rotary", "pos",  "position", "emb",     "embedding", "embeddings"};
  return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(std::begin(kPlain), std::end(kPlain), word) != std::end(kPlain);
  });
}

/// Returns whether an unread rotary field has an effect, which a value such as "none" does not.
bool has_effect(std::string_view name, const nlohmann::json& value) {
  const std::vector<std::string> words = words_of_field(name);
  const bool apart = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return std::find(std::begin(kNotOfFrequencies), std::end(kNotOfFrequencies), word) != std::end(kNotOfFrequencies);
  });
  if (apart && !names_extension(name)) return is_extension_object(value);
  if (value.is_boolean()) return value == true && !is_plain_switch(words);
  if (value.is_number()) return value != 0 && value != 1;
  if (value.is_string()) {
    constexpr const char* kNothing[] = {"", "none", "None", "null", "default", "original", "rope", "rotary"};
    return std::none_of(std::begin(kNothing), std::end(kNothing), [&](const char* text) { return value == text; });
  }
  return value.is_structured() && !value.empty();
}

/// Returns whether an object has a field that looks rotary and is not null.
bool has_rotary_field(const nlohmann::json& object) {
  for (const auto& [name, value] : object.items()) {
    if (!value.is_null() && field_looks_rotary(name)) return true;
  }
  return false;
}

/// Returns whether an object is another, unread tower with a rotary embedding. Vision towers have their own note.
bool is_other_tower(std::string_view name, const nlohmann::json& value, const Lookups& lookups) {
  if (!value.is_object() || !name.ends_with("_config") || name.find("vision") != name.npos) return false;
  const auto unread = [&](const char* field) {
    const auto found = value.find(field);
    return found != value.end() && !found->is_null() && lookups.members.count({&value, field}) == 0;
  };
  return lookups.towers.count(&value) == 0 && (unread("rope_theta") || unread("rope_parameters"));
}

/// Search for fields in a file that look rotary and were not looked up; keeps the first of them with their values.
struct UnreadFields {
  const Lookups& lookups;
  const nlohmann::json* root = nullptr;
  FileNotes found = {};
  std::int64_t count = 0;

  bool within = false;  ///< a tower within the file has rotary fields: fields outside it may belong to another part

  /// `rotary`: every field of the object counts, whatever its name. `shown`: the ladders on screen come from it.
  void look_through(const Section& section, bool rotary, bool shown) {
    for (const auto& [key, value] : section.object->items()) {
      // A classifier may have a class named "rope".
      if (value.is_null() || lookups.told.count(&value) > 0 || key == "label2id") continue;
      if (is_other_tower(key, value, lookups)) {
        found.notes.push_back({"config_note.other_tower", {{"path", in_quotes(debug_text(section.field(key)))}}});
        continue;
      }
      const bool counts = rotary || field_looks_rotary(key) || (shown && is_extension_object(value));
      const bool read = lookups.members.count({section.object, key}) > 0;
      if (counts && !read) {
        tell(section, key, value,
             shown && (rotary || has_effect(key, value)) && !is_of_other_part(section, key, value));
      } else if (value.is_structured()) {
        inspect_heads(value, section.field(key), section.source, counts, shown && counts);
      }
    }
  }
  /// Searches objects, and objects in lists.
  void inspect_heads(const nlohmann::json& value, const Message& path, const Message& source, bool rotary, bool shown) {
    if (value.is_object()) {
      return look_through({&value, path, source}, rotary, shown || lookups.towers.count(&value) > 0);
    }
    if (!value.is_array()) return;
    for (const nlohmann::json& entry : value) inspect_heads(entry, path, source, rotary, shown);
  }
  /// Returns whether a root field is the base or fraction of another (audio) part. A method or a factor is the tower's.
  bool is_of_other_part(const Section& section, const std::string& key, const nlohmann::json& value) const {
    if (!within || section.object != root) return false;
    const auto type = value.is_object() ? value.find("rope_type") : value.end();
    const bool is_default = value.is_object() && type != value.end() && *type == "default";
    return is_default || (!names_extension(key) && !is_extension_object(value));
  }
  void tell(const Section& section, const std::string& key, const nlohmann::json& value, bool asked) {
    const Message note("config_note.unread",
                       {{"field", in_quotes(debug_text(section.field(key)))}, {"value", describe_value(value)}});
    if (asked && found.not_understood.size() < kMaxListedNames) found.not_understood.push_back(note);
    if (++count <= static_cast<std::int64_t>(kMaxListedNames)) found.notes.push_back(note);
  }
};

}  // namespace

RopeObject read_rope_object(const Section& section, bool yarn_is_longrope) {
  RopeObject rope;
  rope.section = section;
  auto type = section.text("rope_type");
  if (!type) type = section.text("type");
  rope.origin = type ? type->origin : section.path;
  std::string& name = rope.extension.method = method_of(section, type ? type->value : "none");
  const bool has_lists = section.has(kLists[0].in_file) && section.has(kLists[1].in_file);
  if (yarn_is_longrope && name == "yarn" && has_lists) name = "longrope";
  const ScalingMethod& method = known_method(section, name, rope.origin);
  add_notes(section, method, rope);
  read_parameters(section, method, rope.extension, rope.notes);
  return rope;
}

/// Megatron's field for position interpolation, also as "rotary_…".
constexpr std::string_view kInterpolation = "seq_len_interpolation_factor";

bool field_looks_rotary(std::string_view name) {
  const std::vector<std::string> words = words_of_field(name);
  const auto is_rotary = [](const std::string& word) {
    constexpr std::string_view kRope = "rope";
    const bool begins = word.rfind(kRope, 0) == 0;
    const bool ends = word.size() >= kRope.size() && word.compare(word.size() - kRope.size(), kRope.size(), kRope) == 0;
    constexpr std::string_view kWhole[] = {"theta", "yarn", "ntk"};
    return begins || ends || word.starts_with("rotary") || std::ranges::count(kWhole, word) > 0;
  };
  if (std::any_of(words.begin(), words.end(), is_rotary)) return true;
  const auto has = [&](std::initializer_list<const char*> any) {
    return std::any_of(any.begin(), any.end(),
                       [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); });
  };
  if (name.ends_with(kInterpolation)) return true;
  return has({"freq", "freqs", "frequency", "frequencies"}) && has({"base", "inv", "inverse"});
}

FileNotes file_notes(const Section& root, const std::vector<std::string>& doubled) {
  UnreadFields unread{*root.lookups};
  // Fields outside a tower that has rotary fields belong to another part.
  const auto& towers = root.lookups->towers;
  const bool within = !towers.contains(root.object) && std::any_of(towers.begin(), towers.end(), [](const auto* tower) {
    return has_rotary_field(*tower);
  });
  unread.within = within, unread.root = root.object;
  unread.look_through(root, false, true);
  FileNotes& found = unread.found;
  const std::int64_t more = unread.count - static_cast<std::int64_t>(kMaxListedNames);
  if (more > 0) found.notes.push_back({"config_note.unread_more", {{"count", more}}});
  if (!doubled.empty()) found.notes.push_back({"config_note.doubled", {{"keys", quoted_names(doubled, false)}}});
  return found;
}

}  // namespace ropescope
