// Profiles of the language tower: the values of each kind of layers, then its profile. Read config_text.h first.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/formats/config.h"
#include "core/formats/families/config_parts.h"
#include "core/formats/families/config_text.h"
#include "core/formats/nlohmann.h"
#include "core/message.h"
#include "core/scaling/scaling.h"

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

Extension extension_of(const TextLayers& layers) {
  return layers.rope && layers.extended ? layers.rope->extension : Extension();
}

bool has_lists(const Extension& extension) {
  return !find_scaling_method(extension.method).lists.empty();
}

/// Returns whether L is the file's length, whatever length the model was trained with.
bool uses_longest(const Extension& extension) {
  return extension.method == "dynamic";
}

Read<int> read_text_head(const TextTower& tower, const TextLayers& layers) {
  const Section& section = tower.section;
  if (layers.head_field) {
    if (const auto head = section.whole(layers.head_field)) return *head;
  }
  if (layers.full && layers.name != kTextProfile) {
    if (const auto global = section.whole("global_head_dim")) return *global;
    if (tower.family.rules.global_head_dim > 0) return {tower.family.rules.global_head_dim, tower.default_origin};
  }
  if (const auto head = section.first_whole(spellings_of(FieldMeaning::head_dim))) return *head;
  if (tower.family.head.head_dim > 0) return {tower.family.head.head_dim, tower.default_origin};
  auto hidden = section.first_whole(spellings_of(FieldMeaning::hidden));
  auto heads = section.first_whole(spellings_of(FieldMeaning::heads));
  if (!hidden && tower.family.head.hidden_size > 0) hidden = {tower.family.head.hidden_size, tower.default_origin};
  if (!heads && tower.family.head.heads > 0) heads = {tower.family.head.heads, tower.default_origin};
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
  const bool extended = layers.rope && extends(layers.rope->extension.method);
  const bool inside = layers.rope && layers.rope->section && layers.rope->section->has(kFractionField);
  if (inside && !(extended && section.has(kFractionField))) return in(*layers.rope->section, kFractionField);
  for (const char* spelling : spellings_of(FieldMeaning::fraction)) {
    if (section.has(spelling)) return in(section, spelling);
  }
  return std::nullopt;
}

/// Notes how Llama's rotary embedding in transformers 5 uses a fraction: not at all for a plain ladder; for others it
/// computes frequencies for part of the head and rotates the whole head with them.
void note_whole_head(const TextTower& tower, const TextLayers& layers, const Read<double>& fraction,
                     Message::List& notes) {
  const Extension extension = extension_of(layers);
  if (fraction.value == 1 || find_scaling_method(extension.method).exponents_over_head) return;
  const Message::Named field("field", fraction.origin), value("value", fraction.value);
  if (!extends(extension.method)) return notes.push_back({"config_note.whole_head", {field, value}});
  throw InputError(tower.section.source, "config.whole_head", {field, value, {"method", extension.method}});
}

/// Reads d = rotary_dim, else int(head_dim × fraction) truncated as in Python, else the head.
Read<int> read_rotary_dim(const TextTower& tower, const TextLayers& layers, const Read<int>& head,
                          Message::List& notes) {
  const auto fraction = read_fraction(tower, layers);
  const auto direct = tower.section.first_whole(spellings_of(FieldMeaning::rotary_dim));
  // transformers 5 reads only the fraction for MiniMax.
  if (direct && !(fraction && tower.family.rules.rotary_dim_unread)) return *direct;
  if (fraction && tower.family.rules.whole_head) {
    note_whole_head(tower, layers, *fraction, notes);
    return head;
  }
  if (fraction) return {static_cast<int>(head.value * fraction->value), product_of(head.origin, fraction->origin)};
  if (tower.family.rules.rotary_dim > 0) return {tower.family.rules.rotary_dim, tower.default_origin};
  if (tower.family.rules.rotary_fraction < 1) {
    return {static_cast<int>(head.value * tower.family.rules.rotary_fraction),
            product_of(head.origin, Message("origin.number_of_class", {{"number", tower.family.rules.rotary_fraction},
                                                                       {"class", tower.default_origin}}))};
  }
  return {head.value, head.origin};
}

/// Reads the rotated channels of latent attention, a separate part: both head and rotary dimension.
std::optional<Read<int>> read_latent(const TextTower& tower, const TextLayers& layers) {
  if (!layers.latent) return std::nullopt;
  // DeepSeek-V4 as saved by transformers: a part of the whole head instead.
  const bool inside = layers.rope && layers.rope->section && layers.rope->section->has(kFractionField);
  if (tower.family.rules.compressed_base > 0 && (inside || !tower.section.has("qk_rope_head_dim"))) {
    auto head = tower.section.whole("head_dim");
    if (!head) head = {tower.family.head.head_dim, tower.default_origin};
    if (const auto fraction = read_fraction(tower, layers)) {
      return Read<int>{static_cast<int>(head->value * fraction->value), product_of(head->origin, fraction->origin)};
    }
  }
  if (const auto sliding = tower.section.whole("swa_qk_rope_head_dim"); sliding && !layers.full) return sliding;
  if (const auto latent = tower.section.whole("qk_rope_head_dim")) return latent;
  if (tower.family.rules.mla_rotary_dim == 0) return std::nullopt;
  return Read<int>{tower.family.rules.mla_rotary_dim, tower.default_origin};
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
  if (tower.family.rules.own == OwnCode::qwen) {
    if (const auto length = tower.section.positive("seq_length")) return length;
  }
  if (rope && uses_longest(rope->extension)) return longest_of(tower);
  if (const auto length = tower.section.positive(kOriginal)) return length;
  if (rope && rope->trained_length) return rope->trained_length;
  if (rope && rope->section) {
    if (const auto length = rope->section->positive(kOriginal)) return length;
  }
  if (tower.family.rules.original_length > 0 && rope && has_lists(rope->extension)) {
    return Read<double>{tower.family.rules.original_length, tower.default_origin};
  }
  return longest_of(tower);
}

void read_pairing(const TextTower& tower, const TextLayers& layers, Profile& profile) {
  profile.spec.pairing = layers.pairing.value_or(tower.family.rules.pairing);
  profile.origin["pairing"] = tower.default_origin;
  if (layers.pairing) return;
  for (const char* field : spellings_of(FieldMeaning::interleaved)) {
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
  const bool is_yarn = extension.method == "yarn";
  if (!(is_yarn || has_lists(extension)) || extension.numbers.count("factor")) return;
  // transformers uses the ratio if the factor is null, and fails if the key is missing.
  const Section& object = *layers.rope->section;
  if (is_yarn && !object.object->contains("factor")) {
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
  if (find_scaling_method(extension.method).exponents_over_head) {
    if (const auto fraction = read_fraction(tower, layers)) {
      extension.numbers["live_fraction"] = fraction->value;
      profile.origin["extension.live_fraction"] = fraction->origin;
    }
  }
  if (extension.method == "yarn" && tower.family.rules.yarn_amplitude > 0) {
    extension.numbers.emplace("attention_factor", tower.family.rules.yarn_amplitude);
  }
  // Phi-3.5-MoE uses the file's own amplitudes.
  const auto near = object.positive("short_mscale");
  const auto far = object.positive("long_mscale");
  if (has_lists(extension) && near && far) {
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
    const bool compressed = tower.family.rules.compressed_base > 0;
    profile.origin["extension"] = {compressed ? "origin.compressed_extended" : "origin.full_extended",
                                   {{"class", tower.default_origin}}};
    return;
  }
  // The first Qwen has its own dynamic NTK, beyond seq_length.
  const bool first_qwen = tower.family.rules.own == OwnCode::qwen;
  const auto dynamic = first_qwen ? tower.section.flag("use_dynamic_ntk") : std::nullopt;
  if (!layers.rope && dynamic && dynamic->value) {
    profile.spec.extension = {"qwen-dynamic", {}, {}};
    profile.origin["extension"] = dynamic->origin;
    return;
  }
  if (!layers.rope) {
    // Nomic's code has its own dynamic NTK.
    const auto factor = tower.section.positive("rotary_scaling_factor");
    if (!factor || tower.family.rules.own != OwnCode::nomic) return;
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
  constexpr std::string_view kForEachFrequency[] = {"none", "linear", "llama3"};
  const std::string method = extension_of(layers).method;
  if (std::ranges::count(kForEachFrequency, method) == 0) {
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
  const std::string& method = layers.rope->extension.method;
  if (std::ranges::count(kShared, method) > 0) return {};
  auto word = layers.rope->section->text("rope_type");
  if (!word) word = layers.rope->section->text("type");
  return {"config_note.method_of_unknown_class",
          {{"field", layers.rope->origin}, {"method", word ? word->value : method}}};
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
  if (layers.rope && find_scaling_method(layers.rope->extension.method).exponents_over_head) rotary = head;
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
  if (tower.family.rules.indexer_head_dim == 0) return std::nullopt;
  auto head = section.whole("index_head_dim");
  if (!head) head = {tower.family.rules.indexer_head_dim, tower.default_origin};
  Profile indexer = attention;
  indexer.name = kIndexerProfile;
  indexer.notes.clear();
  indexer.notes.emplace_back("config_note.indexer");
  indexer.spec.head_dim = head->value;
  indexer.origin["head_dim"] = head->origin;
  indexer.spec.pairing = tower.family.rules.indexer_adjacent ? Pairing::interleaved : Pairing::half_split;
  indexer.origin["pairing"] = tower.default_origin;
  if (const auto interleaved = section.flag("indexer_rope_interleave")) {
    indexer.spec.pairing = interleaved->value ? Pairing::interleaved : Pairing::half_split;
    indexer.origin["pairing"] = interleaved->origin;
  }
  check_profile(indexer, section.source);
  return indexer;
}

// --- Notes ---------------------------------------------------------------------------------------------------------

/// Reads the window of sliding layers, in positions, and its field; nullopt if the file sets it to null or disables it.
std::optional<Read<int>> read_window(const TextTower& tower) {
  const Section& section = tower.section;
  if (const auto switched = section.flag("use_sliding_window"); switched && !switched->value) return std::nullopt;
  for (const char* field : spellings_of(FieldMeaning::window)) {
    if (!section.object->contains(field)) continue;
    const nlohmann::json* value = section.find(field);
    // Null, -1 and 0 disable the window; NaN is invalid and rejected.
    const bool counts = value && value->is_number() && !(value->get<double>() < 1);
    return counts ? section.whole(field) : std::nullopt;
  }
  if (const auto both = section.whole("local_attention")) return both;
  if (tower.family.rules.window > 0) return Read<int>{tower.family.rules.window, tower.default_origin};
  return std::nullopt;
}

/// Returns whether half of the window is before a token, half after it: the encoders ModernBERT (local_attention // 2
/// on each side) and Gemma 3 (less than sliding_window // 2 + 1). Source: huggingface/transformers 5.16.
bool attends_both_ways(const TextTower& tower) {
  const nlohmann::json* both = tower.section.find("use_bidirectional_attention");
  return tower.family.rules.window_sides == WindowSides::both || (both && *both == true);
}

void note_text_window(const TextTower& tower, const TextLayers& layers, const LayerTypes& all, Message::List& notes) {
  const auto window = read_window(tower);
  const auto longest = longest_of(tower);
  if (!window || (longest && window->value >= longest->value)) return;
  const Message::Named positions("positions", window->value), field("field", window->origin);
  if (layers.name.find("sliding") != std::string::npos && attends_both_ways(tower)) {
    notes.push_back({"config_note.window_each_side", {{"positions", window->value / 2}, field}});
  } else if (layers.name.find("sliding") != std::string::npos &&
             tower.family.rules.window_sides == WindowSides::half_back) {
    notes.push_back({"config_note.window_half", {{"positions", window->value / 2}, field}});
  } else if (layers.name.find("sliding") != std::string::npos) {
    notes.push_back({"config_note.window_of_these", {positions, field}});
  } else if (layers.name == kTextProfile && window->origin == tower.section.field("attention_chunk_size")) {
    notes.push_back({"config_note.chunk", {positions, field}});
  } else if (layers.name == kTextProfile) {
    std::vector<int> sliding = all.of_type(kSlidingAttention);
    if (sliding.empty()) sliding = all.of_type("chunked_attention");
    if (!sliding.empty()) {
      note_window_of_some(*window, sliding, all.types.size(), notes);
    } else if (all.of_type(kFullAttention).empty()) {
      notes.push_back({"config_note.window", {positions, field}});
    }
  }
}

/// Notes several lengths in a file: the one in use and the others.
void note_text_lengths(const TextTower& tower, Message::List& notes) {
  const auto taken = longest_of(tower);
  if (!taken) return;
  for (const char* field : spellings_of(FieldMeaning::length)) {
    const auto other = tower.section.number(field);
    if (!other || other->origin == taken->origin || other->value == taken->value) continue;
    notes.push_back(
        {"config_note.lengths",
         {{"other", other->origin}, {"length", other->value}, {"taken", taken->origin}, {"trained", taken->value}}});
  }
}

/// Notes Gemma 3's pretrained length; see take_pretrained_length().
void note_gemma(const TextTower& tower, const TextLayers& layers, const Profile& profile, Message::List& notes) {
  const auto factor = profile.spec.extension.number("factor");
  if (!tower.family.rules.extended_later || !layers.full) return;
  if (profile.spec.extension.method != "linear" || !factor) return;
  notes.push_back({"config_note.gemma", {{"factor", *factor}}});
}

/// Reads the sections of M-RoPE's single ladder and their order: from the RoPE object, next to it, or from the class.
void read_text_sections(const TextTower& tower, const TextLayers& layers, Profile& profile) {
  std::vector<double> pairs;
  PairAssignment assignment = tower.family.rules.assignment;
  const auto read = [&](const Section& place) {
    const bool four = place.has("xdrope_section");
    if (const auto listed = place.numbers(four ? "xdrope_section" : "mrope_section")) pairs = listed->value;
    if (four) assignment = PairAssignment::doubled;
    auto interleaved = place.flag("mrope_interleaved");
    if (!interleaved) interleaved = place.flag("interleaved");  // Qwen3-TTS
    if (interleaved && interleaved->value && assignment == PairAssignment::contiguous)
      assignment = PairAssignment::interleaved;
  };
  if (layers.rope && layers.rope->section) read(*layers.rope->section);
  if (pairs.empty()) read(tower.section);
  if (pairs.empty() && tower.root) read(*tower.root);
  if (pairs.empty() && tower.family.rules.sections[0] > 0) {
    pairs.assign(tower.family.rules.sections.begin(), tower.family.rules.sections.end());
  }
  if (pairs.empty()) return;
  profile.sections = pairs;
  profile.assignment = assignment;
  const std::string sum = joined(pairs, " + ", number_text);
  const double all = std::accumulate(pairs.begin(), pairs.end(), 0.0);
  if (assignment == PairAssignment::doubled) {
    const Message axes(pairs.size() == 4 ? "config_note.four_axes" : "config_note.three_axes");
    profile.notes.push_back(
        {"config_note.doubled_sections", {{"count", pairs.size()}, {"axes", axes}, {"pairs", sum}}});
  } else {
    profile.notes.push_back({assignment == PairAssignment::interleaved   ? "config_note.interleaved_pairs"
                             : assignment == PairAssignment::alternating ? "config_note.alternating_pairs"
                                                                         : "config_note.contiguous_pairs",
                             {{"pairs", sum}}});
  }
  const int due = total_rotary_dim(profile.spec) / 2;
  if (all != due) {
    profile.notes.push_back({"config_note.sections_of_other_sum", {{"pairs", sum}, {"sum", all}, {"due", due}}});
  }
}

/// Notes two different fractions: transformers 4 reads one, 5 the other.
void note_fractions(const TextTower& tower, const TextLayers& layers, Message::List& notes) {
  if (!layers.rope || !layers.rope->section || tower.family.rules.whole_head) return;
  if (layers.rope->section->path == tower.section.field("swa_rope_parameters"))
    return;  // the fraction next to it is for other layers
  const auto inside = layers.rope->section->number(kFractionField), beside = tower.section.number(kFractionField);
  if (!inside || !beside || inside->value == beside->value) return;
  const auto& taken = extends(layers.rope->extension.method) ? beside : inside;
  notes.push_back({"config_note.fractions",
                   {{"inside", inside->origin},
                    {"fraction", inside->value},
                    {"beside", beside->origin},
                    {"other", beside->value},
                    {"taken", taken->origin}}});
}

/// Notes a field that the file has twice with different values: the one in use and the other.
void note_value(const std::optional<Read<double>>& other, double value, const Message& taken, Message::List& notes) {
  if (!other || other->value == value || other->origin == taken) return;
  notes.push_back({"config_note.values",
                   {{"taken", taken}, {"value", value}, {"other", other->origin}, {"otherwise", other->value}}});
}

/// Notes contradicting values. transformers prefers the base inside the RoPE object, but the original length outside it
/// (convert_rope_params_to_dict and standardize_rope_params, 5.16).
void note_values(const TextTower& tower, const TextLayers& layers, const Profile& profile, Message::List& notes) {
  const std::optional<Section> object = layers.rope ? layers.rope->section : std::nullopt;
  const Message& of_base = profile.origin.at("base");
  const bool from_file = object && object->has("rope_theta") && of_base == object->field("rope_theta");
  if (from_file) {
    for (const char* field : layers.base_fields) {
      const nlohmann::json* beside = tower.section.find(field);
      if (beside && beside->is_number())
        note_value(tower.section.number(field), object->number("rope_theta")->value, of_base, notes);
    }
  }
  constexpr const char* kOriginal = "original_max_position_embeddings";
  const auto beside = tower.section.number(kOriginal);
  if (object && beside && extends(layers.rope->extension.method) && !uses_longest(layers.rope->extension)) {
    note_value(object->number(kOriginal), beside->value, beside->origin, notes);
  }
}

}  // namespace

std::vector<Profile> read_text_tower(const Section& root) {
  TextTower tower = find_text_tower(root);
  check_switches(tower.section);
  mark_understood(tower, root);
  std::vector<Profile> profiles;
  for (const TextLayers& layers : find_text_layers(tower)) profiles.push_back(read_text_profile(tower, layers));
  if (tower.family.rules.extended_later) take_pretrained_length(profiles);
  if (auto indexer = read_indexer(tower, profiles.front())) profiles.push_back(std::move(*indexer));
  return profiles;
}

void mark_understood(const TextTower& tower, const Section& root) {
  for (const char* field : understood_names()) {
    const nlohmann::json* inner = tower.section.find(field);
    const auto outer = root.object->find(field);
    if (!inner || outer == root.object->end() || *inner != *outer) continue;
    root.has(field);
    if (root.lookups && root.object != tower.section.object) root.lookups->told.insert(&*outer);
  }
  if (tower.family.rules.needs.field) tower.section.has(tower.family.rules.needs.field);
  const nlohmann::json* mpt = tower.section.find("attn_config");
  if (mpt && mpt->is_object()) {
    for (const char* field : {"rope", "rope_impl"}) tower.section.section("attn_config")->has(field);
  }
  // StableLM's first files and Phi-3 small have the value 1; other classes do not read the field.
  const bool nomic = tower.family.rules.own == OwnCode::nomic;
  for (const char* scale : {"rotary_scaling_factor", "rope_position_scale"}) {
    const auto factor = tower.section.object->find(scale);
    if (factor != tower.section.object->end() && (nomic || *factor == 1)) tower.section.has(scale);
  }
}

std::optional<Read<double>> longest_of(const TextTower& tower) {
  if (const auto length = tower.section.first_positive(spellings_of(FieldMeaning::length))) return length;
  if (tower.family.length > 0) return Read<double>{tower.family.length, tower.default_origin};
  return std::nullopt;
}

void add_text_notes(const TextTower& tower, const TextLayers& layers, Profile& profile) {
  auto& notes = profile.notes;
  if (tower.nested) notes.push_back({"config_note.nested", {{"path", tower.section.path}}});
  if (!tower.relative.empty()) {
    notes.push_back(
        {"config_note.relative", {{"type", in_quotes(tower.relative)}, {"family", tower.family.model_type}}});
  }
  if (!tower.contradicted.empty()) {
    notes.push_back({"config_note.contradicted", {{"type", in_quotes(tower.contradicted)}}});
  }
  if (tower.architecture) {
    notes.push_back({"config_note.by_architecture",
                     {{"class", in_quotes(tower.architecture->value)}, {"type", tower.family.model_type}}});
  } else if (!tower.known) {
    notes.emplace_back(tower.section.has("model_type") ? "config_note.unknown_type" : "config_note.no_type");
  }
  const bool latent = debug_text(profile.origin["head_dim"]).find("qk_rope_head_dim") != std::string::npos;
  if (latent || (tower.family.rules.mla_rotary_dim > 0 && layers.latent))
    notes.emplace_back("config_note.latent_attention");
  notes.insert(notes.end(), layers.notes.begin(), layers.notes.end());
  read_text_sections(tower, layers, profile);
  if (layers.rope && layers.rope->section) {
    if (const auto beta = layers.rope->section->number("llama_4_scaling_beta")) profile.query_beta = beta->value;
  }
  if (layers.rope) notes.insert(notes.end(), layers.rope->notes.begin(), layers.rope->notes.end());
  if (tower.family.rules.note) notes.emplace_back(tower.family.rules.note);
  const bool unread = tower.family.rules.rotary_dim_unread ||
                      (tower.family.rules.own == OwnCode::minimax && tower.section.has("rotary_dim"));
  if (unread && debug_text(profile.origin["rotary_dim"]).find("partial") == std::string::npos) {
    notes.emplace_back("config_note.rotary_dim_unread");
  }
  const LayerTypes all = read_layer_types(tower);
  if (layers.total > 0) note_layers_of(layers.name, layers.numbers, static_cast<std::size_t>(layers.total), notes);
  note_text_window(tower, layers, all, notes);
  note_text_lengths(tower, notes);
  note_gemma(tower, layers, profile, notes);
  const std::vector<int> unrotated = all.unrotated();
  if (all.turned.empty() || !unrotated.empty()) {
    note_unrotated_layers(all.interval, unrotated, all.turned.size(), notes);
  }
  note_fractions(tower, layers, notes);
  note_values(tower, layers, profile, notes);
}

}  // namespace ropescope
