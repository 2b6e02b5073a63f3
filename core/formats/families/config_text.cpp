// Profiles of the language tower: the values of each kind of layers, then its profile. Read config_text.h first.

#include <algorithm>
#include <cmath>

#include "core/formats/config.h"
#include "core/formats/families/config_parts.h"
#include "core/formats/families/config_text.h"
#include "core/formats/nlohmann.h"
#include "core/message.h"

namespace ropescope {

// --- Language models -----------------------------------------------------------------------------------------------

namespace {

/// Throws for models whose switches disable the rotary embedding of their class.
void check_switches(const Section& section) {
  if (const auto alibi = section.flag("alibi"); alibi && alibi->value) {
    throw_unrotated(section, "alibi", Instead::alibi);
  }
  const nlohmann::json* switched = section.find("rotary");
  if (switched && *switched == false) throw_unrotated(section, "rotary", Instead::not_said);
  if (const auto nope = section.flag("mla_use_nope"); nope && nope->value) {
    throw_unrotated(section, "mla_use_nope", Instead::hybrid);
  }
  for (const char* field : {"use_rope", "use_rotary", "use_rotary_embeddings", "use_rotary_position_embeddings"}) {
    const nlohmann::json* rotary = section.find(field);
    if (rotary && *rotary == false) throw_unrotated(section, field, Instead::not_said);
  }
  if (const auto original = section.flag("original_rope"); original && !original->value) {
    section.reject("original_rope", Message("config.one_dimensional"));
  }
  if (const auto pe = section.text("pe"); pe && pe->value != "rotary") {
    throw_unrotated(section, "pe", Instead::not_said);
  }
}

// ---- values ---------------------------------------------------------------------------------------------------------

Read<int> read_text_head(const TextTower& tower, const TextLayers& layers) {
  const Section& section = tower.section;
  if (layers.head_field) {
    if (const auto head = section.whole(layers.head_field)) return *head;
  }
  if (layers.full && layers.name != "text") {
    if (const auto global = section.whole("global_head_dim")) return *global;
    if (tower.family.global_head_dim > 0) return {tower.family.global_head_dim, tower.default_origin};
  }
  if (const auto head = section.first_whole(names_of(FieldMeaning::head_dim))) return *head;
  if (tower.family.head_dim > 0) return {tower.family.head_dim, tower.default_origin};
  auto hidden = section.first_whole(names_of(FieldMeaning::hidden));
  auto heads = section.first_whole(names_of(FieldMeaning::heads));
  if (!hidden && tower.family.hidden_size > 0) hidden = {tower.family.hidden_size, tower.default_origin};
  if (!heads && tower.family.heads > 0) heads = {tower.family.heads, tower.default_origin};
  if (!hidden || !heads) {
    throw InputError(section.source, "config.no_head", {{"field", section.field("head_dim")}});
  }
  return head_quotient(section, *hidden, *heads);
}

/// Reads the rotated fraction of the head, from the RoPE object or next to it. transformers moves the outer one into
/// the object, replacing the inner one, before it computes any but the plain ladder.
std::optional<Read<double>> read_fraction(const TextTower& tower, const TextLayers& layers) {
  const Section& section = tower.section;
  if (layers.listed_fraction) return layers.listed_fraction;
  const auto in = [](const Section& place, const char* spelling) {
    const auto fraction = place.positive(spelling);
    if (fraction->value > 1) place.reject(spelling, Message("config.part_of_head"));
    return fraction;
  };
  const bool extended = layers.rope && layers.rope->type != "none";
  const bool inside = layers.rope && layers.rope->section && layers.rope->section->has(kFractionField);
  if (inside && !(extended && section.has(kFractionField))) return in(*layers.rope->section, kFractionField);
  for (const char* spelling : names_of(FieldMeaning::fraction)) {
    if (section.has(spelling)) return in(section, spelling);
  }
  return std::nullopt;
}

/// Notes how Llama's rotary embedding in transformers 5 uses a fraction: not at all for a plain ladder; for others it
/// computes frequencies for part of the head and rotates the whole head with them.
void note_whole_head(const TextTower& tower, const TextLayers& layers, const Read<double>& fraction,
                     Message::List& notes) {
  const std::string method = layers.rope && layers.extended ? layers.rope->type : "none";
  if (fraction.value == 1 || method == "proportional") return;
  const Message::Named field("field", fraction.origin), value("value", fraction.value);
  if (method == "none") return notes.push_back({"config_note.whole_head", {field, value}});
  throw InputError(tower.section.source, "config.whole_head", {field, value, {"method", method}});
}

/// Reads d = rotary_dim, else int(head_dim × fraction) truncated as in Python, else the head.
Read<int> read_rotary_dim(const TextTower& tower, const TextLayers& layers, const Read<int>& head,
                          Message::List& notes) {
  const auto fraction = read_fraction(tower, layers);
  const auto direct = tower.section.first_whole(names_of(FieldMeaning::rotary_dim));
  // transformers 5 reads only the fraction for MiniMax.
  if (direct && !(fraction && tower.family.rotary_dim_unread)) return *direct;
  if (fraction && tower.family.whole_head) {
    note_whole_head(tower, layers, *fraction, notes);
    return head;
  }
  if (fraction) return {static_cast<int>(head.value * fraction->value), product_of(head.origin, fraction->origin)};
  if (tower.family.rotary_dim > 0) return {tower.family.rotary_dim, tower.default_origin};
  if (tower.family.rotary_fraction < 1) {
    return {static_cast<int>(head.value * tower.family.rotary_fraction),
            product_of(head.origin, Message("origin.number_of_class", {{"number", tower.family.rotary_fraction},
                                                                       {"class", tower.default_origin}}))};
  }
  return {head.value, head.origin};
}

/// Reads the rotated channels of latent attention, a separate part: both head and rotary dimension.
std::optional<Read<int>> read_latent(const TextTower& tower, const TextLayers& layers) {
  if (!layers.latent) return std::nullopt;
  // DeepSeek-V4 as saved by transformers: a part of the whole head instead.
  const bool inside = layers.rope && layers.rope->section && layers.rope->section->has(kFractionField);
  if (tower.family.compressed_base > 0 && (inside || !tower.section.has("qk_rope_head_dim"))) {
    auto head = tower.section.whole("head_dim");
    if (!head) head = {tower.family.head_dim, tower.default_origin};
    if (const auto fraction = read_fraction(tower, layers)) {
      return Read<int>{static_cast<int>(head->value * fraction->value), product_of(head->origin, fraction->origin)};
    }
  }
  if (const auto sliding = tower.section.whole("swa_qk_rope_head_dim"); sliding && !layers.full) return sliding;
  if (const auto latent = tower.section.whole("qk_rope_head_dim")) return latent;
  if (tower.family.mla_rotary_dim == 0) return std::nullopt;
  return Read<int>{tower.family.mla_rotary_dim, tower.default_origin};
}

Read<double> read_text_base(const TextTower& tower, const TextLayers& layers) {
  if (layers.listed_base) return *layers.listed_base;
  if (layers.base_in_rope && layers.rope && layers.rope->section) {
    if (const auto base = layers.rope->section->positive("rope_theta")) return *base;
  }
  if (const auto base = tower.section.first_positive(layers.base_fields)) return *base;
  constexpr std::pair<const char*, const char*> kInner[] = {{"attn_config", "rope_theta"}, {"rotary", "base"}};
  for (const auto& [object, field] : kInner) {  // DBRX and MPT; InternLM
    const nlohmann::json* found = tower.section.find(object);
    if (!found || !found->is_object()) continue;
    if (const auto base = tower.section.section(object)->positive(field)) return *base;
  }
  if (const auto ratio = tower.section.positive("rope_ratio")) {
    return {layers.default_base * ratio->value, product_of(layers.default_base, ratio->origin)};
  }
  return {layers.default_base, tower.default_origin};
}

/// Reads L: original_max_position_embeddings, next to the RoPE object or in it (transformers prefers the first); else
/// the file's length, which dynamic always uses.
std::optional<Read<double>> read_trained_length(const TextTower& tower, const std::optional<RopeObject>& rope) {
  constexpr const char* kOriginal = "original_max_position_embeddings";
  if (tower.family.model_type == std::string_view("qwen")) {
    if (const auto length = tower.section.positive("seq_length")) return length;
  }
  if (rope && rope->type == "dynamic") return longest_of(tower);
  if (const auto length = tower.section.positive(kOriginal)) return length;
  if (rope && rope->trained_length) return rope->trained_length;
  if (rope && rope->section) {
    if (const auto length = rope->section->positive(kOriginal)) return length;
  }
  if (tower.family.original_length > 0 && rope && rope->type == "longrope") {
    return Read<double>{tower.family.original_length, tower.default_origin};
  }
  return longest_of(tower);
}

void read_pairing(const TextTower& tower, const TextLayers& layers, Profile& profile) {
  profile.spec.pairing = layers.pairing.value_or(tower.family.pairing);
  profile.origin["pairing"] = tower.default_origin;
  if (layers.pairing) return;
  for (const char* field : names_of(FieldMeaning::interleaved)) {
    const auto interleaved = tower.section.flag(field);
    if (!interleaved) continue;
    profile.spec.pairing = interleaved->value ? Pairing::interleaved : Pairing::half_split;
    profile.origin["pairing"] = interleaved->origin;
    return;
  }
  // TensorRT-LLM: "rope_gptj" and "rope_gpt_neox".
  const auto embedding = tower.section.text("position_embedding_type");
  if (!embedding || !embedding->value.starts_with("rope_gpt")) return;
  profile.spec.pairing = embedding->value == "rope_gptj" ? Pairing::interleaved : Pairing::half_split;
  profile.origin["pairing"] = embedding->origin;
}

/// Adds a missing factor: the ratio of the lengths, longest over trained, and at least 1.
void add_missing_factor(const TextTower& tower, const TextLayers& layers, Profile& profile) {
  Extension& extension = profile.spec.extension;
  const auto longest = longest_of(tower);
  const bool takes = extension.method == "longrope" || extension.method == "yarn";
  if (!takes || extension.numbers.count("factor")) return;
  // transformers uses the ratio if the factor is null, and fails if the key is missing.
  const Section& object = *layers.rope->section;
  if (extension.method == "yarn" && !object.object->contains("factor")) {
    throw InputError(object.source, "config.no_yarn_factor", {{"field", object.field("factor")}});
  }
  if (!longest || !profile.spec.trained_length) return;
  // A model with a length below its trained length is not extended.
  const double factor = std::max(longest->value / *profile.spec.trained_length, 1.0);
  if (!std::isfinite(factor)) {
    throw InputError(tower.section.source, "config.no_factor",
                     {{"field", longest->origin},
                      {"length", longest->value},
                      {"trained", profile.origin["trained_length"]},
                      {"of", *profile.spec.trained_length}});
  }
  extension.numbers["factor"] = factor;
  profile.origin["extension.factor"] = quotient_of(longest->origin, profile.origin["trained_length"]);
}

/// Applies the behaviour of a class that is not in the RoPE object.
void apply_class(const TextTower& tower, const TextLayers& layers, Profile& profile) {
  Extension& extension = profile.spec.extension;
  if (!layers.rope->section) return;
  const Section& object = *layers.rope->section;
  if (extension.method == "proportional") {
    if (const auto fraction = read_fraction(tower, layers)) {
      extension.numbers["live_fraction"] = fraction->value;
      profile.origin["extension.live_fraction"] = fraction->origin;
    }
  }
  if (extension.method == "yarn" && tower.family.yarn_amplitude > 0) {
    extension.numbers.emplace("attention_factor", tower.family.yarn_amplitude);
  }
  // Phi-3.5-MoE uses the file's own amplitudes.
  const auto near = object.positive("short_mscale");
  const auto far = object.positive("long_mscale");
  if (extension.method == "longrope" && near && far) {
    extension.numbers["attention_factor"] = near->value;
    if (near->value != far->value) {
      profile.notes.push_back(
          {"config_note.far_amplitude", {{"far", far->value}, {"field", far->origin}, {"near", near->value}}});
    }
  }
  add_missing_factor(tower, layers, profile);
}

void read_text_extension(const TextTower& tower, const TextLayers& layers, Profile& profile) {
  profile.origin["extension"] = tower.default_origin;
  if (!layers.extended) {
    const bool compressed = tower.family.compressed_base > 0;
    profile.origin["extension"] = {compressed ? "origin.compressed_extended" : "origin.full_extended",
                                   {{"class", tower.default_origin}}};
    return;
  }
  // The first Qwen has its own dynamic NTK, beyond seq_length.
  const bool first_qwen = tower.family.model_type == std::string_view("qwen");
  const auto dynamic = first_qwen ? tower.section.flag("use_dynamic_ntk") : std::nullopt;
  if (!layers.rope && dynamic && dynamic->value) {
    profile.spec.extension = {"qwen-dynamic", {}, {}};
    profile.origin["extension"] = dynamic->origin;
    return;
  }
  if (!layers.rope) {
    // Nomic's code has its own dynamic NTK.
    const auto factor = tower.section.positive("rotary_scaling_factor");
    if (!factor || tower.family.model_type != std::string_view("nomic_bert")) return;
    profile.spec.extension = {"dynamic", {{"factor", factor->value}}, {}};
    profile.origin["extension"] = factor->origin;
    check_extension_of(profile, tower.section.source, factor->origin);
    return;
  }
  profile.origin["extension"] = layers.rope->origin;
  profile.spec.extension = layers.rope->extension;
  apply_class(tower, layers, profile);
  const Message& path = layers.rope->section ? layers.rope->section->path : layers.rope->origin;
  check_extension_of(profile, tower.section.source, path);
}

/// Makes an odd rotary dimension even. int(128 × 0.4) = 51: transformers computes 26 frequencies b^(−2j/51) for 52
/// channels. This equals a ladder of 52 channels with base b^(52/51), for methods that treat frequencies individually.
void even_out(const TextTower& tower, const TextLayers& layers, RotaryAxis& axis, Profile& profile) {
  if (axis.rotary_dim % 2 == 0) return;
  const int odd = axis.rotary_dim, even = odd + 1;
  const std::string method = layers.rope && layers.extended ? layers.rope->type : "none";
  if (method != "none" && method != "linear" && method != "llama3") {
    throw InputError(tower.section.source, "config.odd",
                     {{"dimension", odd}, {"origin", profile.origin["rotary_dim"]}, {"method", method}});
  }
  axis.base = std::pow(axis.base, static_cast<double>(even) / odd);
  axis.rotary_dim = even;
  profile.origin["base"] = {"origin.power", {{"base", profile.origin["base"]}, {"even", even}, {"odd", odd}}};
  profile.notes.push_back(
      {"config_note.odd",
       {{"origin", profile.origin["rotary_dim"]}, {"odd", odd}, {"pairs", even / 2}, {"even", even}}});
}

/// Returns a warning on the method of an unknown class; empty for methods that transformers computes alike for all
/// classes. GTE's "ntk" differs from Qwen's, so elsewhere the name does not determine the formula.
Message method_of_unknown_class(const TextTower& tower, const TextLayers& layers) {
  if (tower.known || !layers.extended || !layers.rope || !layers.rope->section) return {};
  constexpr std::string_view kShared[] = {"none", "linear", "dynamic", "yarn", "longrope", "llama3", "proportional"};
  if (std::find(std::begin(kShared), std::end(kShared), layers.rope->type) != std::end(kShared)) return {};
  auto word = layers.rope->section->text("rope_type");
  if (!word) word = layers.rope->section->text("type");
  return {"config_note.method_of_unknown_class",
          {{"field", layers.rope->origin}, {"method", word ? word->value : layers.rope->type}}};
}

// ---- a profile ------------------------------------------------------------------------------------------------------

Profile read_text_profile(const TextTower& tower, const TextLayers& layers) {
  Profile profile;
  profile.name = layers.name;
  const auto latent = read_latent(tower, layers);
  const Read<int> head = latent ? *latent : read_text_head(tower, layers);
  Read<int> rotary = latent ? *latent : read_rotary_dim(tower, layers, head, profile.notes);
  const Read<double> base = read_text_base(tower, layers);
  if (base.value == 1) throw InputError(tower.section.source, "config.base_that_holds_still", {{"field", base.origin}});

  RotarySpec& spec = profile.spec;
  RotaryAxis axis;
  if (layers.rope && layers.rope->type == "proportional") rotary = head;  // its exponents range over the whole head
  axis.rotary_dim = rotary.value;
  axis.base = base.value;
  spec.head_dim = head.value;
  profile.origin["head_dim"] = head.origin;
  profile.origin["rotary_dim"] = rotary.origin;
  profile.origin["base"] = base.origin;
  if (rotary.value < head.value && is_product(rotary.origin)) even_out(tower, layers, axis, profile);
  spec.axes = {axis};
  if (const auto length = read_trained_length(tower, layers.rope)) {
    spec.trained_length = length->value;
    profile.origin["trained_length"] = length->origin;
    const auto longest = longest_of(tower);
    if (longest && longest->value > length->value) profile.context_length = longest->value;
  }
  read_pairing(tower, layers, profile);
  check_profile(profile, tower.section.source);
  read_text_extension(tower, layers, profile);
  if (layers.rope && layers.extended) profile.not_understood = layers.rope->not_understood;
  if (const Message note = method_of_unknown_class(tower, layers); !note.empty()) {
    profile.not_understood.push_back(note);
    profile.notes.push_back(note);
  }
  add_text_notes(tower, layers, profile);
  return profile;
}

/// Reads the indexer of sparse attention: a separate head, whose first qk_rope_head_dim channels rotate, with the
/// ladder of the attention. Its pairs are a half split, or adjacent channels if indexer_rope_interleave is set, as in
/// GLM-5's released config. Sources: huggingface/transformers deepseek_v32, vllm-project/vllm and sgl-project/sglang
/// deepseek_v2.py.
std::optional<Profile> read_indexer(const TextTower& tower, const Profile& attention) {
  const Section& section = tower.section;
  if (tower.family.indexer_head_dim == 0) return std::nullopt;
  auto head = section.whole("index_head_dim");
  if (!head) head = {tower.family.indexer_head_dim, tower.default_origin};
  Profile indexer = attention;
  indexer.name = "indexer";
  indexer.notes.clear();
  indexer.notes.emplace_back("config_note.indexer");
  indexer.spec.head_dim = head->value;
  indexer.origin["head_dim"] = head->origin;
  indexer.spec.pairing = tower.family.indexer_adjacent ? Pairing::interleaved : Pairing::half_split;
  indexer.origin["pairing"] = tower.default_origin;
  if (const auto interleaved = section.flag("indexer_rope_interleave")) {
    indexer.spec.pairing = interleaved->value ? Pairing::interleaved : Pairing::half_split;
    indexer.origin["pairing"] = interleaved->origin;
  }
  check_profile(indexer, section.source);
  return indexer;
}

}  // namespace

std::vector<Profile> read_text_tower(const Section& root) {
  TextTower tower = find_text_tower(root);
  check_switches(tower.section);
  mark_understood(tower, root);
  std::vector<Profile> profiles;
  for (const TextLayers& layers : find_text_layers(tower)) profiles.push_back(read_text_profile(tower, layers));
  if (tower.family.model_type == std::string_view("gemma3_text")) take_pretrained_length(profiles);
  if (auto indexer = read_indexer(tower, profiles.front())) profiles.push_back(std::move(*indexer));
  return profiles;
}

}  // namespace ropescope
