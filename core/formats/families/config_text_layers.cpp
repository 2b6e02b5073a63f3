// Search for the language tower, its RoPE objects, and its kinds of layers: by type, by base, by lists.

#include "core/formats/families/config_parts.h"
#include "core/formats/families/config_text.h"
#include "core/formats/nlohmann.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/formats/config.h"
#include "core/message.h"

namespace ropescope {

namespace {

/// MLC's mlc-chat-config.json has its model in model_config; a TensorRT-LLM engine in pretrained_config.
constexpr const char* kOuterSections[] = {"thinker_config", "vlm_config", "model_config", "pretrained_config"};
constexpr const char* kTextSections[] = {"text_config", "llm_config", "language_config"};
/// RoPE parameters of sliding layers, in addition to flat ones for other layers (Laguna).
constexpr const char* kSlidingRope = "swa_rope_parameters";

constexpr const char* kNativeWeights = "native weights (params.json)";
constexpr const char* kLing3 = "bailing_moe_v3";
constexpr std::size_t kMaxLayerTypes = 16;

bool has_any(const Section& section, Spellings fields) {
  return std::any_of(fields.begin(), fields.end(), [&](const char* field) { return section.has(field); });
}

/// Returns how likely an object of this name contains a language model (0: most likely); nullopt if it cannot.
std::optional<int> rank_tower(std::string_view name) {
  const auto has = [&](std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return name.find(part) != name.npos; });
  };
  constexpr std::string_view kBareNames[] = {"llm", "decoder"};
  const bool is_config =
      name.ends_with("_config") || name.ends_with("_cfg") || std::ranges::count(kBareNames, name) > 0;
  if (!is_config || has({"vision", "visual", "image", "vit", "quant", "rope", "generation", "linear_attn"})) {
    return std::nullopt;
  }
  if (has({"text", "llm", "language", "thinker"})) return 0;
  if (has({"audio", "speech", "speaker", "sound", "encoder", "predictor", "draft", "mtp"})) return 2;
  return 1;
}

/// Finds the nearest object in `root`, at any depth, that is a tower with rotary fields or of a rotary class; at equal
/// depth the likelier one.
std::optional<Section> nested_tower(const Section& root) {
  std::vector<Section> level = {root};
  for (int depth = 0; depth < kDeepestJson && !level.empty(); ++depth) {
    std::vector<std::pair<int, Section>> next;
    for (const Section& section : level) {
      for (const auto& [name, value] : section.object->items()) {
        const auto rank = value.is_object() ? rank_tower(name) : std::nullopt;
        if (rank) next.emplace_back(*rank, Section{&value, section.field(name), section.source, section.lookups});
      }
    }
    std::stable_sort(next.begin(), next.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    level.clear();
    for (const auto& [rank, section] : next) {
      const auto type = section.text("model_type");
      if (has_any(section, rotary_evidence()) || (type && find_text_family(type->value))) return section;
      level.push_back(section);
    }
  }
  return std::nullopt;
}

Section text_section(const Section& root, bool& nested) {
  Section outer = root.first_section(kOuterSections).value_or(root);
  outer = outer.first_section(kTextSections).value_or(outer);
  const auto type = outer.text("model_type");
  const TextFamily* family = type ? find_text_family(type->value) : nullptr;
  if (!family && !has_any(outer, rotary_evidence())) {
    if (has_any(root, rotary_evidence())) return root;
    const auto found = nested_tower(root);
    nested = found.has_value();
    return found.value_or(outer);
  }
  if (!family || !family->rules.section) return outer;
  return outer.section(family->rules.section).value_or(outer);
}

/// Returns the class of a file without one, by fields that only this class has; nullptr if there are none.
const char* class_by_fields(const Section& section) {
  if (section.has("rotary_value")) return "roformer";
  if (section.has("pe_rotary_dims") || section.has("pe")) return "mesh-transformer-jax";
  if (section.has("dim") && section.has("n_layers") && section.has("n_heads")) return kNativeWeights;
  return nullptr;
}

[[noreturn]] void reject_unknown(const Section& section, const std::string& model_type) {
  Message::List fields;
  for (const char* field : rotary_evidence()) fields.push_back(verbatim(field));
  const Message nothing =
      section.path.empty() ? Message("config.nothing") : Message("config.nothing_in", {{"path", section.path}});
  if (model_type.empty())
    throw InputError(section.source, "config.no_type", {{"nothing", nothing}, {"fields", fields}});
  throw InputError(section.source, "config.unknown_type",
                   {{"nothing", nothing}, {"class", in_quotes(model_type)}, {"fields", fields}});
}

void check_refused(const Section& root, const Section& section, std::string_view name) {
  const auto check = [&](std::string_view type) {
    const RefusedFamily* refused = find_refused_family(type);
    if (!refused) return;
    throw InputError(root.source, "config.refused", {{"class", in_quotes(type)}, {"why", Message(refused->why)}});
  };
  for (const Section& place : {root, section}) {
    if (const auto type = place.text("model_type")) check(type->value);
  }
  check(name);
}

/// Returns whether the custom code of an encoder or MPT adds a rotary embedding, according to its own fields.
bool rotates_by_itself(const Section& section) {
  const auto embedding = section.object->find("position_embedding_type");
  if (embedding != section.object->end() && (*embedding == "rotary" || *embedding == "rope")) return true;
  if (const auto attention = section.section("attn_config")) {
    if (const auto rope = attention->object->find("rope"); rope != attention->object->end()) return *rope == true;
  }
  return section.has("rotary_emb_base") || section.has("rotary_emb_fraction");
}

/// Returns the encoding that fields set against the class: Jina's BERT has ALiBi; MPT without it, learned positions.
Instead instead_of(const Section& section, Instead of_class) {
  const nlohmann::json* embedding = section.find("position_embedding_type");
  if (embedding && *embedding == "alibi") return Instead::alibi;
  if (embedding && embedding->is_string() && embedding->get<std::string>().starts_with("relative")) {
    return Instead::relative;
  }
  const nlohmann::json* attention = section.find("attn_config");
  const bool without = attention && attention->is_object() && attention->value("alibi", nlohmann::json(true)) == false;
  return of_class == Instead::alibi && without ? Instead::learned : of_class;
}

void check_unrotated(const Section& section, std::string_view name) {
  const UnrotatedClass* found = find_unrotated_type(name);
  if (!found || rotates_by_itself(section)) return;
  constexpr const char* kPositions[] = {"n_positions", "max_position_embeddings", "max_seq_len"};
  constexpr const char* kRanges[] = {"relative_attention_num_buckets"};
  const Instead instead = instead_of(section, found->instead);
  std::optional<Read<int>> count;
  if (instead == Instead::learned) count = section.first_whole(kPositions);
  if (instead == Instead::buckets) count = section.first_whole(kRanges);
  throw NoRotaryEmbedding(
      section.source, {"config_note.unrotated_class", {{"class", in_quotes(name)}, {"why", words_of(instead, count)}}});
}

/// Returns the model_type of the first known class in `architectures`.
std::string_view architecture_of(const Section& place, std::optional<Read<std::string>>& found) {
  const nlohmann::json* names = place.find("architectures");
  const nlohmann::json* single = place.find("architecture");  // TensorRT-LLM
  nlohmann::json all = names && names->is_array() ? *names : nlohmann::json::array();
  if (single && single->is_string()) all.push_back(*single);
  for (const nlohmann::json& name : all) {
    if (!name.is_string()) continue;
    const std::string_view type = type_of_architecture(name.get_ref<const std::string&>());
    if (type.empty()) continue;
    found = Read<std::string>{name.get<std::string>(), place.field("architectures")};
    return type;
  }
  return {};
}

bool is_known_type(std::string_view type) {
  return find_text_family(type) || find_refused_family(type) || find_unrotated_type(type);
}

/// Returns whether the file is Ling 3 under the type of Ling 2.5: its linear layers differ and are not rotated.
bool is_ling_3(const Section& section, const Section& root) {
  const auto of_ling_3 = [](const Section& place) {
    std::optional<Read<std::string>> architecture;
    return architecture_of(place, architecture) == kLing3;
  };
  return section.has("short_conv_kernel_size") || of_ling_3(section) || of_ling_3(root);
}

/// Throws for a class that is rotary only with a certain field, unless the field has the required value.
void check_needs(const TextTower& tower) {
  const RotarySwitch& needs = tower.family.rules.needs;
  if (!needs.field) return;
  const nlohmann::json* found = tower.section.find(needs.field);
  const bool rotary = found && (found->is_string() ? *found == needs.value : found->dump() == needs.value);
  if (rotary) return;
  const std::string_view value = needs.value;
  const bool is_text = value != "true" && value.find_first_not_of("0123456789") != value.npos;
  throw NoRotaryEmbedding(tower.section.source, {"config_note.switch",
                                                 {{"place", tower.section.field(needs.field)},
                                                  {"found", found ? describe_value(*found) : Message("found.nothing")},
                                                  {"class", in_quotes(tower.family.model_type)},
                                                  {"field", needs.field},
                                                  {"value", is_text ? in_quotes(value) : std::string(value)},
                                                  {"why", words_of(needs.instead)}}});
}

/// A type of layers whose profile is not called as the type is.
struct TypeName {
  const char *type, *profile;
};
/// DeepSeek-V4 has names for its two sets of parameters, not for its layers.
constexpr TypeName kParameterNames[] = {{"main", kSlidingProfile}, {"compress", kCompressedProfile}};
constexpr TypeName kLayerTypeNames[] = {{"chunked_attention", kSlidingProfile}, {"lightning-attn", kLinearProfile}};

/// Returns the name of a type's profile: its own, with blanks, if it is not among `named`.
std::string profile_name(const std::string& type, std::span<const TypeName> named) {
  for (const TypeName& one : named) {
    if (type == one.type) return one.profile;
  }
  std::string name = type;
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string layer_name(const Section& section, const std::string& type) {
  const auto is_plain = [](unsigned char c) { return c >= 0x20 && c < 0x7F; };
  if (type.empty() || type.size() > 40 || !std::all_of(type.begin(), type.end(), is_plain)) {
    throw InputError(section.source, "config.layer_type", {{"path", section.path}, {"name", in_quotes(type)}});
  }
  return profile_name(type, kParameterNames);
}

/// Reads transformers 5's parameters per layer type. Full attention first, then the file's order.
std::vector<TextLayers> layers_by_type(const TextTower& tower, const Section& parameters) {
  std::vector<TextLayers> kinds;
  Message::List unrotated;
  // Fields next to the kinds have no effect.
  for (const char* field : {"rope_theta", "rope_type", "type", "partial_rotary_factor"}) parameters.has(field);
  for (const auto& [type, value] : parameters.object->items()) {
    if (value.is_null()) unrotated.push_back({"config_note.unrotated_type", {{"type", in_quotes(type)}}});
    if (!value.is_object()) continue;
    if (kinds.size() == kMaxLayerTypes) {
      throw InputError(parameters.source, "config.many_types", {{"path", parameters.path}, {"most", kMaxLayerTypes}});
    }
    TextLayers kind;
    kind.name = layer_name(parameters, type);
    constexpr std::string_view kFullTypes[] = {kFullAttention, "compress", "hybrid"};
    kind.full = std::ranges::count(kFullTypes, type) > 0;
    kind.rope = read_rope_object(*parameters.section(type), tower.family.rules.yarn_is_longrope);
    const bool local = !kind.full && tower.family.rules.local_base > 0;
    kind.default_base = local ? tower.family.rules.local_base : tower.family.rules.base;
    if (local) kind.base_fields = spellings_of(FieldMeaning::sliding_base);
    kinds.push_back(std::move(kind));
  }
  std::stable_partition(kinds.begin(), kinds.end(), [](const TextLayers& kind) { return kind.full; });
  kinds.front().notes = unrotated;
  return kinds;
}

/// Throws for a base of null: transformers then disables the rotary embedding (OLMo Hybrid as released).
void check_base_is_given(const Section& rope) {
  const auto base = rope.object->find("rope_theta");
  if (base == rope.object->end() || !base->is_null()) return;
  throw_unrotated(rope, "rope_theta", Instead::hybrid);
}

bool has_layers(const Section& rope) {
  return std::any_of(rope.object->begin(), rope.object->end(),
                     [](const nlohmann::json& value) { return value.is_object(); });
}

/// Merges rope_scaling into the parameters: Gemma 3, OLMo 3 and T5Gemma 2 for full layers only, ModernBERT for both.
Section lay_over(TextTower& tower, const Section& scaling, const Section& parameters) {
  nlohmann::json laid = *parameters.object;
  const bool both = tower.family.rules.lays_over_both;
  for (auto& [type, layers] : laid.items()) {
    if (layers.is_object() && (both || type == kFullAttention)) layers.update(*scaling.object);
  }
  tower.laid_over = std::make_shared<nlohmann::json>(std::move(laid));
  return {tower.laid_over.get(), parameters.path, parameters.source};
}

/// Returns the flat part of a dictionary by layer types, if neither class nor file has layer types: transformers 5
/// treats the dictionary as a flat object with unknown keys.
std::optional<Section> flatten_layers(TextTower& tower, const Section& rope, Message::List& notes) {
  const TextFamily& family = tower.family;
  const bool knows_types = !family.rules.whole_head || family.rules.layer_types || family.rules.window > 0 ||
                           family.rules.local_base > 0 || family.rules.unrotated_every > 0 ||
                           tower.section.has("layer_types");
  if (knows_types || !has_layers(rope)) return std::nullopt;
  nlohmann::json flat = nlohmann::json::object();
  for (const auto& [key, value] : rope.object->items()) {
    if (!value.is_object()) flat[key] = value;
  }
  tower.laid_over = std::make_shared<nlohmann::json>(std::move(flat));
  notes.push_back({"config_note.no_layer_types", {{"path", rope.path}}});
  return Section{tower.laid_over.get(), rope.path, rope.source};
}

/// Returns the RoPE object of the file as transformers 5.16 finds it: rope_scaling before rope_parameters; an empty one
/// is ignored. Source: huggingface/transformers RotaryEmbeddingConfigMixin.convert_rope_params_to_dict and its
/// overrides, standardize_rope_params, nested_rope_parameter_keys.
std::optional<Section> given_rope_section(TextTower& tower, Message::List& notes) {
  const auto filled = [&](const char* field) {
    const auto object = tower.section.section(field);
    return object && !object->object->empty() ? object : std::nullopt;
  };
  auto scaling = filled("rope_scaling");
  if (!scaling) scaling = filled("rotary_scaling");  // TensorRT-LLM
  const auto parameters = filled("rope_parameters");
  if (!scaling && !parameters) return std::nullopt;
  Section rope = scaling ? *scaling : *parameters;
  if (scaling && parameters && *scaling->object != *parameters->object) {
    const bool lays_over = tower.family.rules.extends_full_layers_only || tower.family.rules.lays_over_both;
    if (lays_over && has_layers(*parameters) && !has_layers(*scaling)) {
      rope = lay_over(tower, *scaling, *parameters);
      notes.push_back({"config_note.laid_over", {{"scaling", scaling->path}, {"parameters", parameters->path}}});
    } else {
      notes.push_back({"config_note.both_objects", {{"scaling", scaling->path}, {"parameters", parameters->path}}});
    }
  }
  // The object in use is reported when it is read; the notes here report the other one.
  if (Lookups* lookups = tower.section.lookups) {
    for (const auto& object : {scaling, parameters}) {
      if (object && object->object != rope.object) lookups->told.insert(object->object);
    }
  }
  check_base_is_given(rope);
  if (auto flat = flatten_layers(tower, rope, notes)) {
    if (tower.section.lookups) tower.section.lookups->told.insert(rope.object);
    return flat;
  }
  return rope;
}

/// Returns the RoPE object of the file, else the default of the class.
std::optional<Section> rope_section(TextTower& tower, Message::List& notes) {
  if (auto given = given_rope_section(tower, notes)) return given;
  // A file in an old spelling has separate fields for the values of the default object.
  const bool old = has_any(tower.section, spellings_of(FieldMeaning::sliding_base)) || tower.section.has(kSlidingRope);
  if (!tower.default_rope || old) return std::nullopt;
  const Message place("origin.rope_parameters", {{"class", tower.default_origin}});
  return Section{tower.default_rope.get(), place, tower.section.source};
}

/// Reads the object `yarn` of Mistral's params.json. `apply_scale` false keeps cos and sin unscaled; with latent
/// attention the scale belongs to the softmax, and they are always unscaled. Source: vllm-project/vllm
/// transformers_utils/configs/mistral.py @ 01da88c5be (_remap_mistral_yarn_args) and llama.cpp's converter
/// (MistralModel, MistralMoeModel; rope.scaling.yarn_log_multiplier 1 if apply_scale is false).
std::optional<RopeObject> native_yarn(const TextTower& tower) {
  const auto object = tower.section.section("yarn");
  if (!object || object->object->empty()) return std::nullopt;
  constexpr std::pair<const char*, const char*> kSpellings[] = {{"beta", "beta_fast"}, {"alpha", "beta_slow"}};
  RopeObject rope;
  rope.origin = object->path;
  rope.section = object;
  rope.extension.method = "yarn";
  for (const char* name : {"factor", "original_max_position_embeddings"}) {
    if (!object->has(name)) object->reject(name, Message("expected.a_number"));
  }
  rope.extension.numbers["factor"] = object->positive("factor")->value;
  for (const auto& [in_file, name] : kSpellings) {
    if (const auto beta = object->positive(in_file)) rope.extension.numbers[name] = beta->value;
  }
  const auto scale = object->flag("apply_scale");
  const bool latent = tower.section.has("qk_rope_head_dim");
  if (latent || (scale && !scale->value)) rope.extension.numbers["attention_factor"] = 1;
  if (latent) rope.notes.emplace_back("config_note.softmax_scale");
  return rope;
}

/// Reads llama3 for Llama's params.json; its numbers are in Meta's code, not in the file. Source:
/// meta-llama/llama-models @ a9c89c4 models/llama3/model.py apply_scaling (scale_factor 8, low_freq_factor 1,
/// high_freq_factor 4, old_context_len 8192) and models/llama4/args.py (16 and 1). Meta's released configs for
/// transformers have 32 for Llama 3.2 1B and 3B, identified by their widths.
std::optional<RopeObject> native_llama3(const TextTower& tower) {
  const Section& section = tower.section;
  const auto scaled = section.flag("use_scaled_rope");
  if (!scaled || !scaled->value) return std::nullopt;
  const auto width = section.whole("dim");
  const bool small = width && (width->value == 2048 || width->value == 3072);
  // Llama 4 has the same switch with other numbers, which only some files contain.
  const bool fourth = section.has("moe_args") || section.has("nope_layer_interval");
  const auto given = section.positive("rope_scaling_factor");
  auto high = section.positive("rope_high_freq_factor");
  if (!high) high = section.positive("high_freq_factor");
  RopeObject rope;
  rope.origin = scaled->origin;
  rope.extension.method = "llama3";
  const double factor = fourth ? 16 : small ? 32 : 8;
  rope.extension.numbers = {{"factor", given ? given->value : factor},
                            {"low_frequency_factor", 1},
                            {"high_frequency_factor", high     ? high->value
                                                      : fourth ? 1
                                                               : 4}};
  rope.trained_length = Read<double>{8192, Message("origin.of_meta")};
  rope.notes.push_back(
      {"config_note.scaled_rope", {{"field", scaled->origin}, {"factor", rope.extension.numbers["factor"]}}});
  return rope;
}

/// Reads DeepSeek's native files: YaRN's numbers are default arguments of its inference code; cos and sin are unscaled.
/// Source: deepseek-ai/DeepSeek-V3.2-Exp @ 3b99a53 inference/model.py (ModelArgs, precompute_freqs_cis).
std::optional<RopeObject> native_deepseek(const TextTower& tower) {
  const Section& section = tower.section;
  if (!section.has("qk_rope_head_dim") || !(section.has("route_scale") || section.has("score_func")))
    return std::nullopt;
  constexpr struct {
    const char* in_file;
    const char* name;
    double initial;
  } kArguments[] = {{"rope_factor", "factor", 40}, {"beta_fast", "beta_fast", 32}, {"beta_slow", "beta_slow", 1}};
  RopeObject rope;
  rope.origin = Message("origin.of_deepseek");
  rope.extension.method = "yarn";
  for (const auto& [in_file, name, initial] : kArguments) {
    const auto given = section.positive(in_file);
    rope.extension.numbers[name] = given ? given->value : initial;
  }
  rope.extension.numbers["attention_factor"] = 1;
  rope.trained_length = section.positive("original_seq_len");
  if (!rope.trained_length) rope.trained_length = Read<double>{4096, rope.origin};
  return rope;
}

/// Returns the RoPE object of a file of native weights.
std::optional<RopeObject> native_rope(const TextTower& tower, Message::List& notes) {
  if (tower.family.rules.own != OwnCode::native) return std::nullopt;
  const Section& section = tower.section;
  if (const auto scaling = section.section("llama_4_scaling"); scaling && !scaling->object->empty()) {
    notes.push_back({"config_note.scaling_beta", {{"field", scaling->path}}});
  }
  if (section.has("max_seq_len") && !section.has("max_position_embeddings")) {
    notes.push_back({"config_note.most_run", {{"field", section.field("max_seq_len")}}});
  }
  if (auto yarn = native_yarn(tower)) return yarn;
  if (auto deepseek = native_deepseek(tower)) return deepseek;
  return native_llama3(tower);
}

/// Reads InternLM's object `rotary`, whose type is "origin" or "dynamic"; its default factor is 1. Source: the model's
/// own code, modeling_internlm.py.
std::optional<RopeObject> rotary_object(const Section& section) {
  const nlohmann::json* found = section.find("rotary");
  if (!found || !found->is_object()) return std::nullopt;
  const Section object = *section.section("rotary");
  const auto type = object.text("type");
  if (!type || type->value != "dynamic") return std::nullopt;
  RopeObject rope;
  rope.origin = type->origin;
  rope.extension.method = "dynamic";
  const auto factor = object.positive("scaling_factor");
  rope.extension.numbers["factor"] = factor ? factor->value : 1;
  return rope;
}

/// Returns one kind per base in layer_rope_theta, which lists a base for each layer, or 0 for one without rotation.
std::vector<TextLayers> layers_by_base(const TextTower& tower, const TextLayers& plain) {
  const auto listed = tower.section.numbers("layer_rope_theta");
  std::vector<TextLayers> kinds;
  for (std::size_t layer = 0; layer < listed->value.size(); ++layer) {
    const double base = listed->value[layer];
    if (base < 0) tower.section.reject("layer_rope_theta", Message("config.bases"));
    if (base == 0) continue;
    auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& one) { return one.listed_base->value == base; });
    if (kind == kinds.end()) {
      if (kinds.size() == kMaxLayerTypes) tower.section.reject("layer_rope_theta", Message("config.few_bases"));
      kind = kinds.insert(kind, plain);
      kind->listed_base = Read<double>{base, listed->origin};
      kind->name = "base " + number_text(base);
      kind->total = static_cast<int>(listed->value.size());
    }
    kind->numbers.push_back(static_cast<int>(layer));
  }
  if (kinds.empty()) tower.section.reject("layer_rope_theta", Message("config.any_base"));
  if (kinds.size() == 1) kinds.front().name = plain.name;
  return kinds;
}

/// Returns a layer's value in a list with one per layer; nullopt if the field is not a list or is too short.
std::optional<double> find_listed_value(const Section& section, const char* field, std::size_t layer) {
  const nlohmann::json* listed = section.find(field);
  if (!listed || !listed->is_array()) return std::nullopt;
  const auto values = section.numbers(field)->value;
  return layer < values.size() ? std::optional(values[layer]) : std::nullopt;
}

constexpr const char* kListedFractions[] = {"partial_rotary_factors", kFractionField};

/// Returns the only layer types that are extended; null if the file does not list them.
const nlohmann::json* extended_types(const Section& section) {
  const nlohmann::json* types = section.find("yarn_only_types");
  return types && types->is_array() && !types->empty() ? types : nullptr;
}

bool is_list(const Section& section, const char* field) {
  const nlohmann::json* found = section.find(field);
  return found && found->is_array();
}

/// Returns the number of layers in a file with values for each of them; 0 for other files.
std::size_t listed_layers(const TextTower& tower) {
  const Section& section = tower.section;
  std::size_t longest = 0;
  for (const char* field : {"rope_theta", "partial_rotary_factors", "partial_rotary_factor"}) {
    if (is_list(section, field)) longest = std::max(longest, section.numbers(field)->value.size());
  }
  const nlohmann::json* types = section.find("layer_types");
  const bool typed = types && types->is_array() && !types->empty();
  if (longest == 0 && extended_types(section) && typed) longest = types->size();
  const auto given = longest > 0 ? section.whole("num_hidden_layers") : std::nullopt;
  // Lists also include the layers of multi-token prediction.
  return given ? std::min(longest, static_cast<std::size_t>(given->value)) : longest;
}

/// Returns a layer of a file with lists as a kind by itself: its base, fraction and extension.
TextLayers read_listed_layer(const TextTower& tower, const TextLayers& plain, std::size_t layer,
                             const std::string& type) {
  const Section& section = tower.section;
  TextLayers kind = plain;
  if (const auto base = find_listed_value(section, "rope_theta", layer)) {
    if (!(*base > 0)) section.reject("rope_theta", Message("config.bases"));
    kind.listed_base = Read<double>{*base, section.field("rope_theta")};
  }
  for (const char* field : kListedFractions) {
    const auto fraction = find_listed_value(section, field, layer);
    if (!fraction) continue;
    if (!(*fraction > 0 && *fraction <= 1)) section.reject(field, Message("config.part_of_head"));
    kind.listed_fraction = Read<double>{*fraction, section.field(field)};
    break;
  }
  const nlohmann::json* extended = extended_types(section);
  kind.full = type != kSlidingAttention;
  kind.extended = !extended || std::find(extended->begin(), extended->end(), type) != extended->end();
  kind.numbers = {static_cast<int>(layer)};
  return kind;
}

bool have_one_ladder(const TextLayers& a, const TextLayers& b) {
  const auto value_of = [](const std::optional<Read<double>>& read) { return read ? read->value : 0; };
  return value_of(a.listed_base) == value_of(b.listed_base) &&
         value_of(a.listed_fraction) == value_of(b.listed_fraction) && a.extended == b.extended;
}

/// Names kinds by their layer types, `types`, if these identify them, else by their numbers.
void name_listed_kinds(const Section& section, const std::vector<std::set<std::string>>& types, double default_base,
                       std::vector<TextLayers>& kinds) {
  for (std::size_t i = 0; i < kinds.size() && kinds.size() > 1; ++i) {
    const std::string type = *types[i].begin();
    const auto has_type = [&](const std::set<std::string>& all) { return all.count(type) > 0; };
    const bool told = !type.empty() && types[i].size() == 1 && std::count_if(types.begin(), types.end(), has_type) == 1;
    const double base = kinds[i].listed_base ? kinds[i].listed_base->value : default_base;
    kinds[i].name = told ? layer_name(section, type) : "base " + number_text(base);
    if (!told && kinds[i].listed_fraction) kinds[i].name += ", " + number_text(kinds[i].listed_fraction->value);
  }
}

/// Returns the kinds of Step-3.5: rope_theta and partial_rotary_factors are lists, and yarn_only_types lists the
/// extended layers. One kind per combination. Source: vllm-project/vllm model_executor/models/step3p5.py @
/// 01b50b9e8fbe.
std::vector<TextLayers> layers_by_lists(const TextTower& tower, const TextLayers& plain, std::size_t count) {
  const Section& section = tower.section;
  const nlohmann::json* types = section.find("layer_types");
  const std::vector<bool> turned = read_layer_types(tower).turned;
  std::vector<TextLayers> kinds;
  std::vector<std::set<std::string>> kind_types;
  for (std::size_t layer = 0; layer < count; ++layer) {
    if (layer < turned.size() && !turned[layer]) continue;
    std::string type;
    if (types && types->is_array() && layer < types->size() && (*types)[layer].is_string()) type = (*types)[layer];
    TextLayers kind = read_listed_layer(tower, plain, layer, type);
    const auto found =
        std::ranges::find_if(kinds, [&](const TextLayers& other) { return have_one_ladder(other, kind); });
    if (found != kinds.end()) {
      found->numbers.push_back(static_cast<int>(layer));
      kind_types[static_cast<std::size_t>(found - kinds.begin())].insert(type);
      continue;
    }
    kind.total = static_cast<int>(count);
    if (kinds.size() == kMaxLayerTypes) {
      throw InputError(section.source, "config.many_types",
                       {{"path", section.field("rope_theta")}, {"most", kMaxLayerTypes}});
    }
    kinds.push_back(std::move(kind));
    kind_types.push_back({type});
  }
  if (kinds.empty()) section.reject("rope_theta", Message("config.any_base"));
  name_listed_kinds(section, kind_types, plain.default_base, kinds);
  std::stable_partition(kinds.begin(), kinds.end(), [](const TextLayers& kind) { return kind.full; });
  if (kinds.size() > 1) {
    for (TextLayers& kind : kinds) kind.notes.clear();
    kinds.front().notes = plain.notes;
  }
  return kinds;
}

/// Returns DeepSeek-V4's kinds: compressed layers have the second base and are extended; others (compress_ratio 0) keep
/// the plain ladder.
std::vector<TextLayers> compressed_layers(const TextTower& tower, TextLayers plain) {
  TextLayers compressed = plain;
  if (tower.family.rules.compressed_base > 0) compressed.default_base = tower.family.rules.compressed_base;
  compressed.name = kCompressedProfile;
  compressed.base_fields = spellings_of(FieldMeaning::compressed_base);
  compressed.base_in_rope = false;
  plain.name = kSlidingProfile;
  plain.full = false;
  plain.extended = false;
  return {compressed, plain};
}

/// Splits a type into its name with each number as "#", and these numbers: "deepseek_v#" and 41.
std::pair<std::string, std::vector<int>> numbered(std::string_view type) {
  std::pair<std::string, std::vector<int>> found;
  for (std::size_t i = 0; i < type.size(); ++i) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (!is_digit(type[i])) {
      found.first += type[i];
      continue;
    }
    if (i == 0 || !is_digit(type[i - 1])) found.first += '#', found.second.push_back(0);
    found.second.back() = std::min(found.second.back() * 10 + (type[i] - '0'), 1'000'000);
  }
  return found;
}

/// Returns whether a number continues the known one, as 41 does 4: a release of the same generation.
bool go_on(const std::vector<int>& numbers, const std::vector<int>& known) {
  bool longer = false;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::string own = std::to_string(numbers[i]), other = std::to_string(known[i]);
    if (!own.starts_with(other)) return false;
    longer = longer || own != other;
  }
  return longer;
}

/// Returns the known type whose numbers an unknown one continues, the one with the longest common beginning if there
/// are several: "deepseek_v4" for "deepseek_v41", also for its text tower; else empty. Another generation ("llama2" for
/// "llama4") is not a relative: head and base may differ.
std::string_view relative_of(std::string_view type) {
  constexpr std::string_view kText = "_text";
  const std::string_view bare = type.ends_with(kText) ? type.substr(0, type.size() - kText.size()) : type;
  for (const std::string& wanted : {std::string(type), std::string(bare), std::string(bare) + std::string(kText)}) {
    const auto [pattern, numbers] = numbered(wanted);
    if (numbers.empty()) return {};
    std::string_view best;
    std::pair<std::size_t, std::vector<int>> most;
    for (const TextFamily& family : all_text_families()) {
      const std::string_view other = family.model_type;
      const auto [of_other, others] = numbered(other);
      if (of_other != pattern || !go_on(numbers, others)) continue;
      const auto common = static_cast<std::size_t>(
          std::mismatch(wanted.begin(), wanted.end(), other.begin(), other.end()).first - wanted.begin());
      std::pair found(common, others);
      if (best.empty() || found > most) best = other, most = std::move(found);
    }
    if (!best.empty()) return best;
  }
  return {};
}

/// Returns the class of a section without one: the text tower of the wrapper's class.
std::string type_within(const std::string& wrapper) {
  for (const char* end : {"_text", "_text_model"}) {
    if (find_text_family(wrapper + end)) return wrapper + end;
  }
  return wrapper;
}

/// Returns whether a class has no rotary embedding, but the file has rotary fields and another class's architecture.
bool is_contradicted(const std::string& type, const Section& section, const Section& root) {
  if (!find_unrotated_type(type) || !has_any(section, rotary_evidence())) return false;
  for (const Section& place : {section, root}) {
    const nlohmann::json* names = place.find("architectures");
    if (!names || !names->is_array() || names->empty() || !names->front().is_string()) continue;
    const std::string& architecture = names->front().get_ref<const std::string&>();
    const std::string_view known = type_of_architecture(architecture);
    if (!known.empty()) return known != type;
    // An unknown class is a different one unless its name contains the type.
    std::string lower;
    for (const char c : architecture) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower.find(type) == std::string::npos;
  }
  return false;
}

/// Adds rotated layers of linear attention: MiniCPM-SALA's lightning layers, whose softmax layers are not rotated
/// (lightning_- and attn_use_rope), and those of Ling 2.5 next to latent attention (layer_group_size). Sources:
/// SGLang's minicpm.py and BailingMoeV2_5LinearAttention, the authors' code for vLLM.
void add_linear_layers(const TextTower& tower, std::vector<TextLayers>& kinds) {
  const Section& section = tower.section;
  TextLayers linear = kinds.front();
  linear.name = kLinearProfile;
  linear.full = linear.latent = false;
  linear.pairing = Pairing::half_split;
  linear.notes.clear();
  if (const auto lightning = section.flag("lightning_use_rope"); lightning && lightning->value) {
    linear.head_field = "lightning_head_dim";
    const auto softmax = section.flag("attn_use_rope");
    if (softmax && !softmax->value) kinds.clear();
    kinds.push_back(std::move(linear));
  } else if (section.has("layer_group_size") && section.has("qk_rope_head_dim") &&
             tower.family.rules.own != OwnCode::ling_3) {
    kinds.push_back(std::move(linear));
  }
}

std::vector<TextLayers> softmax_layers(TextTower& tower) {
  const Section& section = tower.section;
  TextLayers first;
  std::optional<RopeObject> rope = native_rope(tower, first.notes);
  if (const auto object = rope ? std::nullopt : rope_section(tower, first.notes)) {
    if (has_layers(*object)) {
      auto kinds = layers_by_type(tower, *object);
      kinds.front().notes.insert(kinds.front().notes.begin(), first.notes.begin(), first.notes.end());
      return kinds;
    }
    rope = read_rope_object(*object, tower.family.rules.yarn_is_longrope);
  }
  if (!rope) rope = rotary_object(section);
  first.rope = rope;
  first.default_base = tower.family.rules.base;
  if (section.has("layer_rope_theta")) return layers_by_base(tower, first);
  if (const std::size_t count = listed_layers(tower); count > 0) return layers_by_lists(tower, first, count);
  if (tower.family.rules.compressed_base > 0 || has_any(section, spellings_of(FieldMeaning::compressed_base)))
    return compressed_layers(tower, first);
  TextLayers second = first;
  second.full = false;
  second.name = kSlidingProfile;
  if (const auto own = section.section(kSlidingRope)) {
    second.rope = read_rope_object(*own, tower.family.rules.yarn_is_longrope);
    second.base_fields = spellings_of(FieldMeaning::sliding_base);
    second.default_base = tower.family.rules.local_base > 0 ? tower.family.rules.local_base : tower.family.rules.base;
  } else if (tower.family.rules.local_base > 0 || has_any(section, spellings_of(FieldMeaning::sliding_base))) {
    second.base_fields = spellings_of(FieldMeaning::sliding_base);
    second.base_in_rope = false;
    second.default_base = tower.family.rules.local_base > 0 ? tower.family.rules.local_base : tower.family.rules.base;
  } else if (!(tower.family.rules.extends_full_layers_only && rope && extends(rope->extension.method))) {
    return {first};
  }
  second.extended = !tower.family.rules.extends_full_layers_only;
  first.name = kFullProfile;
  return {first, second};
}

/// Assigns layer numbers to each kind, if there are several and none has numbers yet.
void number_layers(const TextTower& tower, std::vector<TextLayers>& kinds) {
  if (kinds.size() == 1) kinds.front().total = 0;
  if (kinds.size() == 1 || kinds.front().total > 0) return;
  const LayerTypes layers = read_layer_types(tower);
  if (layers.types.empty()) return;
  for (TextLayers& kind : kinds) kind.total = static_cast<int>(layers.types.size());
  for (std::size_t layer = 0; layer < layers.types.size(); ++layer) {
    if (!layers.turned[layer]) continue;
    const std::string name = profile_name(layers.types[layer], kLayerTypeNames);
    auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const TextLayers& one) { return one.name == name; });
    if (kind == kinds.end() && kinds.front().name == kTextProfile) kind = kinds.begin();
    if (kind != kinds.end()) kind->numbers.push_back(static_cast<int>(layer));
  }
}

}  // namespace

void throw_unrotated(const Section& section, const char* field, Instead instead) {
  const nlohmann::json* found = section.find(field);
  throw NoRotaryEmbedding(section.source, {"config_note.unrotated_by",
                                           {{"field", section.field(field)},
                                            {"found", found ? describe_value(*found) : verbatim("null")},
                                            {"why", words_of(instead)}}});
}

TextTower find_text_tower(const Section& root) {
  TextTower tower;
  tower.root = root;
  tower.section = text_section(root, tower.nested);
  if (root.lookups) root.lookups->towers.insert(tower.section.object);
  auto type = tower.section.text("model_type");
  const bool own_type = type.has_value();
  if (!type) type = root.text("model_type");
  std::string name = type ? type->value : "";
  if (!own_type && tower.section.object != root.object && !is_known_type(name)) name = type_within(name);
  if (is_contradicted(name, tower.section, root)) tower.contradicted = std::exchange(name, "");
  if (!is_known_type(name)) {
    std::string_view by_class = architecture_of(tower.section, tower.architecture);
    if (by_class.empty()) by_class = architecture_of(root, tower.architecture);
    if (!by_class.empty()) name = by_class;
  }
  if (const std::string_view relative = is_known_type(name) ? std::string_view() : relative_of(name); !relative.empty())
    tower.relative = std::exchange(name, std::string(relative));
  const char* guessed = name.empty() && tower.contradicted.empty() ? class_by_fields(tower.section) : nullptr;
  if (guessed) name = guessed;
  if (name == "bailing_hybrid" && is_ling_3(tower.section, root)) name = kLing3;
  check_refused(root, tower.section, name);
  check_unrotated(tower.section, name);
  if (const TextFamily* family = find_text_family(name)) {
    tower.family = *family;
    tower.default_origin = guessed ? Message("origin.default_of", {{"model", name}}) : default_of_type(name);
    if (family->rules.rope) tower.default_rope = std::make_shared<nlohmann::json>(parse_own_json(family->rules.rope));
    check_needs(tower);
    return tower;
  }
  if (!has_any(tower.section, rotary_evidence())) {
    auto class_name = root.text("_class_name");
    reject_unknown(tower.section, type ? name : class_name ? class_name->value : "");
  }
  if (const auto embedding = tower.section.text("position_embedding_type")) {
    constexpr std::pair<std::string_view, Instead> kOthers[] = {
        {"nope", Instead::nothing}, {"alibi", Instead::alibi}, {"learned", Instead::learned}};
    for (const auto& [other, instead] : kOthers) {
      if (embedding->value == other) throw_unrotated(tower.section, "position_embedding_type", instead);
    }
  }
  tower.known = false;
  tower.default_origin = type ? Message("origin.default_of_unknown_type", {{"type", in_quotes(type->value)}})
                              : Message("origin.default_without_type");
  return tower;
}

std::vector<TextLayers> find_text_layers(TextTower& tower) {
  std::vector<TextLayers> kinds = softmax_layers(tower);
  add_linear_layers(tower, kinds);
  number_layers(tower, kinds);
  return kinds;
}

}  // namespace ropescope
