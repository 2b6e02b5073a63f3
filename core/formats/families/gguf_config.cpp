// Profiles of a GGUF: values by key, heads, ladders and extension of each kind of layers. Read gguf_config.h first.
//
// Contents: Config; Extension.

#include "core/formats/families/gguf_config.h"
#include "core/formats/families/config_parts.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "core/formats/config.h"
#include "core/formats/dumps/gguf.h"
#include "core/formats/families/config_families.h"
#include "core/formats/families/gguf_architectures.h"
#include "core/message.h"
#include "core/scaling/methods.h"

namespace ropescope {

/// A GGUF model: all its files, the one with the metadata first, and its architecture.
struct GgufModel {
  std::span<const GgufFile> parts;
  GgufMetadata metadata;
  GgufArchitecture architecture;
  bool known = true;  ///< the table has the architecture

  const std::string& source() const { return parts.front().source; }
  Message program_default() const { return {"origin.default_of", {{"model", "llama.cpp"}}}; }
};

/// Reads the extension: fills extension, amplitude and trained length of the profile, with origins and notes.
/// freq_scale = 1/rope.scaling.factor (else the old rope.scale_linear) for the types "linear" (the default), "yarn" and
/// "longrope"; 1 for "none". With p_i = b^(−2i/d) and frequency factors f_i (1 if missing): linear, longrope: θ_i =
/// p_i·freq_scale/f_i; amplitude rope.scaling.attn_factor (1). yarn: θ_i = freq_scale·p_i·(1 − γ_i) + p_i·γ_i, γ
/// falling from pair ⌊c(β_fast)⌋ to ⌈c(β_slow)⌉; amplitude attn_factor·get(s, mscale)/get(s, mscale_all_dim), get(s, m)
/// = 0.1·m·ln s + 1, mscale 1 (deepseek2: mscale_all_dim), mscale_all_dim from yarn_log_multiplier; without that
/// attn_factor·get(s, 1). Source: llama.cpp llama-model.cpp (load_hparams), llama-context.cpp, models/*.cpp;
/// ggml-cpu/ops.cpp (rope_yarn). Throws InputError for an unknown type, a positive ext_factor other than 1, and factors
/// that do not fit.
void extend_profile(const GgufModel& model, Profile& profile);

/// Reads the trained length of layers that are not extended.
void read_length(const GgufModel& model, Profile& profile);

/// Reads rope.scaling.attn_factor for layers whose other values extend_profile does not read.
void read_amplitude(const GgufModel& model, Profile& profile);

/// Notes keys and tensors of an extension that llama.cpp does not read for this architecture.
void note_unread(const GgufModel& model, Message::List& notes);

// --- Config --------------------------------------------------------------------------------------------------------

namespace {

constexpr const char* kRotary = "rope.dimension_count";
constexpr const char* kRotarySliding = "rope.dimension_count_swa";
constexpr const char* kBaseKey = "rope.freq_base";
constexpr const char* kBaseSliding = "rope.freq_base_swa";
constexpr const char* kCompressedBase = "attention.compress_rope_freq_base";
constexpr const char* kKeyLength = "attention.key_length";
constexpr const char* kKeySliding = "attention.key_length_swa";
constexpr const char* kHeadsKey = "attention.head_count";
constexpr const char* kEmbedding = "embedding_length";
constexpr const char* kWindow = "attention.sliding_window";
constexpr const char* kPattern = "attention.sliding_window_pattern";
constexpr const char* kRatios = "attention.compress_ratios";
constexpr const char* kSectionsKey = "rope.dimension_sections";
constexpr const char* kLatent = "attention.kv_lora_rank";
constexpr double kDefaultBase = 10000;

/// Reads an integer; nullopt unless it is above 0.
std::optional<Read<int>> counted(const GgufModel& model, std::string_view name) {
  const auto found = model.metadata.whole(name);
  return found && found->value > 0 ? found : std::nullopt;
}

/// Reads the head: key_length, else embedding_length / head_count as an integer.
Read<int> head_of(const GgufModel& model) {
  if (const auto key = counted(model, kKeyLength)) return *key;
  const auto embedding = counted(model, kEmbedding), heads = counted(model, kHeadsKey);
  if (!embedding || !heads) {
    throw InputError(model.source(), "gguf.no_head",
                     {{"key", model.metadata.key(kKeyLength)},
                      {"embedding", model.metadata.key(kEmbedding)},
                      {"heads", model.metadata.key(kHeadsKey)}});
  }
  return {embedding->value / heads->value, quotient_of(embedding->origin, heads->origin)};
}

/// Reads rope.dimension_count, else the head; throws if the architecture requires the whole head.
Read<int> rotary_of(const GgufModel& model, const Read<int>& head) {
  const auto rotary = model.metadata.whole(kRotary);
  if (rotary && rotary->value <= 0) {
    model.metadata.reject(kRotary, std::to_string(rotary->value), Message("expected.whole_above_0"));
  }
  if (rotary && model.architecture.whole_head && rotary->value != head.value) {
    throw InputError(model.source(), "gguf.whole_head",
                     {{"key", rotary->origin},
                      {"rotary", rotary->value},
                      {"head", head.value},
                      {"architecture", in_quotes(model.metadata.architecture)}});
  }
  return rotary.value_or(head);
}

Read<double> base_of(const GgufModel& model) {
  return model.metadata.number(kBaseKey).value_or(Read<double>{kDefaultBase, model.program_default()});
}

Read<double> sliding_base_of(const GgufModel& model) {
  const GgufSliding kind = model.architecture.sliding;
  const auto given = kind == GgufSliding::plain ? std::nullopt : model.metadata.number(kBaseSliding);
  if (given) return *given;
  return kind == GgufSliding::own ? Read<double>{kDefaultBase, model.program_default()} : base_of(model);
}

/// Reads the pairs of time, height, width and so on; empty if pairs are not assigned to axes.
std::vector<int> gguf_sections(const GgufModel& model) {
  const GgufPairs pairs = model.architecture.pairs;
  if (pairs == GgufPairs::neighbours || pairs == GgufPairs::halves) return {};
  auto sections = model.metadata.wholes(kSectionsKey);
  if (!sections) return {};
  while (!sections->value.empty() && sections->value.back() == 0) sections->value.pop_back();
  const bool at_least_two = sections->value.size() >= 2 && sections->value[0] > 0 && sections->value[1] > 0;
  const bool asks = pairs == GgufPairs::neighbours_or_sections || pairs == GgufPairs::halves_or_sections;
  return asks && !at_least_two ? std::vector<int>() : sections->value;
}

Pairing pairing_of(const GgufModel& model) {
  const GgufPairs pairs = model.architecture.pairs;
  const bool neighbours =
      pairs == GgufPairs::neighbours || (pairs == GgufPairs::neighbours_or_sections && gguf_sections(model).empty());
  return neighbours ? Pairing::interleaved : Pairing::half_split;
}

/// Returns whether channels are reordered. Llama family: halves become adjacent; GLM-4 with sections: the reverse.
bool is_permuted(const GgufModel& model) {
  const bool to_halves = model.architecture.pairs == GgufPairs::neighbours_or_sections;
  return model.architecture.permuted || (to_halves && pairing_of(model) == Pairing::half_split);
}

bool has_window(const GgufModel& model) {
  return counted(model, kWindow).has_value();
}

// ---- layers ---------------------------------------------------------------------------------------------------------

/// Properties of each layer, counted from 0, without layers of multi-token prediction.
struct GgufLayers {
  std::vector<bool> sliding;  ///< empty if the file does not define windows; DeepSeek-V4: not compressed
  std::vector<bool> turned;   ///< empty if the file has no layer count

  std::vector<int> where(const std::vector<bool>& flags, bool value) const {
    std::vector<int> found;
    for (std::size_t layer = 0; layer < flags.size(); ++layer) {
      if (flags[layer] == value) found.push_back(static_cast<int>(layer));
    }
    return found;
  }
};

int gguf_layer_count(const GgufModel& model) {
  const auto blocks = counted(model, "block_count"), more = counted(model, "nextn_predict_layers");
  if (!blocks) return 0;
  return std::clamp(blocks->value - (more ? more->value : 0), 0, static_cast<int>(kLargestDimension));
}

/// Reads a list with a number for each layer, at least; empty if there is none.
std::vector<int> listed_for_layers(const GgufModel& model, const char* name, int count) {
  const GgufEntry* entry = model.metadata.find(name);
  if (!entry || entry->type != GgufType::array) return {};
  std::vector<int> values = model.metadata.wholes(name)->value;
  return values.size() < static_cast<std::size_t>(count) ? std::vector<int>() : values;
}

std::vector<bool> sliding_layers(const GgufModel& model, int count) {
  const GgufArchitecture& architecture = model.architecture;
  std::vector<bool> sliding;
  const auto take = [&](const std::vector<int>& values, bool value) {
    for (int layer = 0; layer < count && !values.empty(); ++layer) {
      sliding.push_back((values[static_cast<std::size_t>(layer)] != 0) == value);
    }
    return sliding;
  };
  if (architecture.compressed) return take(listed_for_layers(model, kRatios, count), false);
  if (architecture.needs_window && !has_window(model)) return {};
  if (architecture.lists_sliding) take(listed_for_layers(model, kPattern, count), true);
  if (!sliding.empty() || architecture.full_every == 0) return sliding;
  const GgufEntry* pattern = model.metadata.find(kPattern);
  const bool given = pattern && pattern->type != GgufType::array;
  const int every = given ? model.metadata.whole(kPattern)->value : architecture.full_every;
  for (int layer = 0; layer < count; ++layer) {
    sliding.push_back(every == 0 || (architecture.full_first ? layer : layer + 1) % every != 0);
  }
  return sliding;
}

/// Returns whether one in `unrotated_every` layers is not rotated; a model without a window rotates all.
bool skips_by_turns(const GgufModel& model) {
  const auto window = model.metadata.whole(kWindow);
  const bool all_turn = window ? window->value == 0 : model.architecture.needs_window;
  return model.architecture.unrotated_every > 0 && !all_turn;
}

bool only_sliding_turn(const GgufModel& model) {
  return model.architecture.note == kSlidingOnly || model.architecture.note == kSlidingAndDense;
}

/// Reads the layers. Those without keys (attention.head_count_kv 0) have no attention, recurrent ones a state instead.
GgufLayers gguf_layers(const GgufModel& model) {
  const GgufArchitecture& architecture = model.architecture;
  const int count = gguf_layer_count(model);
  const auto keys = listed_for_layers(model, "attention.head_count_kv", count);
  const auto turned = listed_for_layers(model, "attention.rope_pattern", count);
  const auto recurrent = listed_for_layers(model, "attention.recurrent_layers", count);
  const auto interval = counted(model, "full_attention_interval");
  const int every = interval ? interval->value : architecture.recurrent_every;
  const auto dense = counted(model, "leading_dense_block_count");
  const bool full_stand = only_sliding_turn(model) || (architecture.note == kMixedOnly && has_window(model));
  const bool dense_turn = architecture.note == kSlidingAndDense;
  GgufLayers layers;
  layers.sliding = sliding_layers(model, count);
  for (int layer = 0; layer < count; ++layer) {
    const auto at = static_cast<std::size_t>(layer);
    bool turns = (keys.empty() || keys[at] > 0) && (turned.empty() || turned[at] > 0);
    if (architecture.recurrent_every > 0) turns &= recurrent.empty() ? (layer + 1) % every == 0 : recurrent[at] == 0;
    if (skips_by_turns(model)) {
      turns &= (architecture.full_first ? layer : layer + 1) % architecture.unrotated_every != 0;
    }
    if (full_stand && !layers.sliding.empty() && !layers.sliding[at]) {
      turns &= dense_turn && dense && layer < dense->value;
    }
    layers.turned.push_back(turns);
  }
  return layers;
}

// ---- notes ----------------------------------------------------------------------------------------------------------

void note_gguf_sections(const GgufModel& model, Message::List& notes) {
  std::string sum;
  for (const int pairs : gguf_sections(model)) sum += (sum.empty() ? "" : " + ") + std::to_string(pairs);
  if (sum.empty()) return;
  const bool by_turns = model.architecture.pairs == GgufPairs::sections_by_turns;
  notes.push_back({by_turns ? "config_note.interleaved_pairs" : "config_note.contiguous_pairs", {{"pairs", sum}}});
}

/// Notes which layers a profile describes, if there are two profiles.
void note_gguf_numbers(const GgufLayers& layers, const std::string& name, Message::List& notes) {
  if (name == kTextProfile || layers.sliding.empty()) return;
  std::vector<int> numbers = layers.where(layers.sliding, name == kSlidingProfile);
  std::erase_if(numbers, [&](int layer) { return !layers.turned[static_cast<std::size_t>(layer)]; });
  note_layers_of(name, numbers, layers.turned.size(), notes);
}

void note_gguf_window(const GgufModel& model, const GgufLayers& layers, const std::string& name, Message::List& notes) {
  const auto window = counted(model, kWindow);
  // llama.cpp reads Phi-3's window and disables it.
  if (!window || name == kFullProfile || model.architecture.always_longrope) return;
  const Message::Named positions("positions", window->value), field("field", window->origin);
  const std::vector<int> sliding = layers.where(layers.sliding, true);
  if (model.architecture.both_sides) {
    notes.push_back({"config_note.window_each_side", {{"positions", window->value / 2}, field}});
  } else if (name != kTextProfile) {
    notes.push_back({"config_note.window_of_these", {positions, field}});
  } else if (sliding.empty()) {
    notes.push_back({"config_note.window", {positions, field}});
  } else {
    note_window_of_some(*window, sliding, layers.sliding.size(), notes);
  }
}

/// Returns the notes that apply to all layers of the file.
Message::List notes_of(const GgufModel& model, const GgufLayers& layers, bool latent) {
  Message::List notes;
  if (!model.known) {
    notes.push_back({"gguf_note.unknown_architecture", {{"architecture", in_quotes(model.metadata.architecture)}}});
  }
  if (is_permuted(model)) {
    notes.emplace_back(model.architecture.permuted ? "gguf_note.permuted" : "gguf_note.permuted_to_halves");
  }
  if (latent) notes.emplace_back("config_note.latent_attention");
  note_gguf_sections(model, notes);
  const bool mixed_only = model.architecture.note == kMixedOnly;
  const bool ramp_only = model.architecture.note == kRoundedRamp;
  const bool holds = (!mixed_only || has_window(model)) && (!ramp_only || model.metadata.has("rope.scaling.factor"));
  if (!model.architecture.note.empty() && holds) notes.emplace_back(model.architecture.note);
  note_unrotated_layers(skips_by_turns(model) ? model.architecture.unrotated_every : 0,
                        layers.where(layers.turned, false), layers.turned.size(), notes);
  note_unread(model, notes);
  return notes;
}

// ---- profiles -------------------------------------------------------------------------------------------------------

/// One kind of layers: name, head, rotary part, base, and whether the file's extension applies.
struct Layers {
  std::string name;
  Read<int> head, rotary;
  Read<double> base;
  bool extended = true;
  bool amplified = true;  ///< rope.scaling.attn_factor applies to them
};

Profile read_gguf_profile(const GgufModel& model, const Layers& layers) {
  Profile profile;
  profile.name = layers.name;
  RotarySpec& spec = profile.spec;
  spec.head_dim = layers.head.value;
  spec.pairing = pairing_of(model);
  RotaryAxis axis;
  axis.rotary_dim = layers.rotary.value;
  axis.base = layers.base.value;
  spec.axes = {axis};
  profile.origin["head_dim"] = layers.head.origin;
  profile.origin["rotary_dim"] = layers.rotary.origin;
  profile.origin["base"] = layers.base.origin;
  profile.origin["pairing"] = {"origin.architecture", {{"architecture", in_quotes(model.metadata.architecture)}}};
  profile.permuted = is_permuted(model);
  check_profile(profile, verbatim(model.source()));
  if (layers.extended) {
    extend_profile(model, profile);
  } else {
    profile.origin["extension"] = {"origin.sliding_plain", {{"architecture", in_quotes(model.metadata.architecture)}}};
    read_length(model, profile);
    if (layers.amplified) read_amplitude(model, profile);
  }
  check_profile(profile, verbatim(model.source()));
  return profile;
}

/// Returns full attention, then sliding attention if its layers may have a separate ladder.
std::vector<Layers> kinds_of(const GgufModel& model, bool latent) {
  const GgufArchitecture& architecture = model.architecture;
  const Read<int> whole = head_of(model), rotary = rotary_of(model, whole);
  const Read<int> head = latent ? rotary : whole;
  Layers full{kFullProfile, head, rotary, base_of(model)};
  if (architecture.compressed) {
    Layers compressed = full;
    compressed.name = kCompressedProfile;
    if (const auto base = model.metadata.number(kCompressedBase)) compressed.base = *base;
    full.name = kSlidingProfile;
    full.extended = full.amplified = false;
    return {compressed, full};
  }
  if (architecture.half_of_full) full.rotary = {rotary.value / 2, {"origin.half", {{"of", rotary.origin}}}};
  if (architecture.needs_window && !has_window(model)) return {full};
  Layers sliding{kSlidingProfile, counted(model, kKeySliding).value_or(head),
                 counted(model, kRotarySliding).value_or(rotary), sliding_base_of(model)};
  sliding.extended = architecture.sliding == GgufSliding::same;
  sliding.amplified = architecture.sliding == GgufSliding::own;
  if (only_sliding_turn(model)) return {sliding};
  return {full, sliding};
}

/// Returns whether a file of an unknown architecture has rope.* keys.
bool has_rotary_keys(const GgufMetadata& metadata) {
  return metadata.has(kBaseKey) || metadata.has(kRotary);
}

GgufModel model_of(std::span<const GgufFile> parts) {
  GgufModel model{parts, gguf_metadata(parts.front()), {}};
  const std::string& name = model.metadata.architecture;
  const GgufArchitecture* known = find_gguf_architecture(name);
  model.known = known != nullptr;
  if (known) model.architecture = *known;
  const UnrotatedClass* unrotated = find_unrotated_architecture(name);
  if (!known && !unrotated && !has_rotary_keys(model.metadata)) {
    throw InputError(model.source(), "gguf.nothing",
                     {{"architecture", in_quotes(name)},
                      {"base", model.metadata.key(kBaseKey)},
                      {"rotary", model.metadata.key(kRotary)}});
  }
  const auto finetuned = model.architecture.switched ? model.metadata.flag("rope.scaling.finetuned") : std::nullopt;
  const int layers = model.architecture.unrotated_layers;
  const bool other = layers > 0 && model.metadata.whole("block_count").value_or(Read<int>{0, {}}).value == layers;
  if (unrotated || other || (finetuned && !finetuned->value)) {
    const Instead instead = unrotated ? unrotated->instead : other ? Instead::alibi : Instead::nothing;
    std::optional<Read<int>> count;
    if (instead == Instead::learned) count = counted(model, "context_length");
    if (instead == Instead::buckets) count = counted(model, "attention.relative_buckets_count");
    throw NoRotaryEmbedding(
        verbatim(model.source()),
        {"config_note.unrotated_architecture", {{"architecture", in_quotes(name)}, {"why", words_of(instead, count)}}},
        name);
  }
  return model;
}

// --- Extension -----------------------------------------------------------------------------------------------------

constexpr const char* kType = "rope.scaling.type";
constexpr const char* kFactorKey = "rope.scaling.factor";
constexpr const char* kOldFactor = "rope.scale_linear";
constexpr const char* kAttention = "rope.scaling.attn_factor";
constexpr const char* kOriginalKey = "rope.scaling.original_context_length";
constexpr const char* kLength = "context_length";
constexpr const char* kLogMultiplier = "rope.scaling.yarn_log_multiplier";
constexpr const char* kExtFactor = "rope.scaling.yarn_ext_factor";
constexpr const char* kBetaFastKey = "rope.scaling.yarn_beta_fast";
constexpr const char* kBetaSlowKey = "rope.scaling.yarn_beta_slow";
constexpr const char* kYarnAttention = "rope.scaling.yarn_attn_factor";

enum class GgufScaling { none, linear, yarn, longrope };

struct Scaling {
  Read<GgufScaling> type;
  Read<double> factor;  ///< 1/freq_scale
  Read<double> attention;
  bool yarn = false;
};

Read<double> read_factor(const GgufModel& model) {
  for (const char* name : {kFactorKey, kOldFactor}) {
    const auto found = model.metadata.number(name);
    if (!found) continue;
    if (found->value < 0) model.metadata.reject(name, number_text(found->value), Message("gguf.from_0"));
    return found->value == 0 ? Read<double>{1, found->origin} : *found;
  }
  return {1, model.program_default()};
}

bool extrapolates(const GgufModel& model, GgufScaling type) {
  const auto given = model.architecture.reads_ext_factor ? model.metadata.number(kExtFactor) : std::nullopt;
  if (!given || given->value < 0) return type == GgufScaling::yarn;
  if (given->value != 0 && given->value != 1) {
    model.metadata.reject(kExtFactor, number_text(given->value), Message("gguf.ext_factor"));
  }
  return given->value == 1;
}

Scaling read_scaling(const GgufModel& model) {
  const Read<double> factor = read_factor(model);
  // A factor without a type means linear.
  Scaling scaling{{GgufScaling::linear, factor.origin}, factor, {1, model.program_default()}};
  if (const auto type = model.metadata.text(kType)) {
    const std::vector<std::string> types{"none", "linear", "yarn", "longrope"};  // in the order of GgufScaling
    const auto known = std::find(types.begin(), types.end(), type->value);
    if (known == types.end()) model.metadata.reject(kType, in_quotes(type->value), one_of(types));
    scaling.type = {static_cast<GgufScaling>(known - types.begin()), type->origin};
  }
  if (scaling.type.value == GgufScaling::none) scaling.factor = {1, scaling.type.origin};
  if (const auto attention = model.metadata.positive(kAttention)) scaling.attention = *attention;
  scaling.yarn = extrapolates(model, scaling.type.value);
  return scaling;
}

/// Returns mscale_all_dim; 0 if the architecture does not read it.
double log_multiplier(const GgufModel& model) {
  if (model.architecture.log_multiplier == GgufLogMultiplier::unread) return 0;
  const auto given = model.metadata.number(kLogMultiplier);
  if (!given) return 0;
  const bool tenth = model.architecture.log_multiplier == GgufLogMultiplier::tenth;
  return tenth ? shortest_of_float(static_cast<float>(given->value / 0.1)) : given->value;
}

void read_betas(const GgufModel& model, Profile& profile) {
  auto& numbers = profile.spec.extension.numbers;
  if (model.architecture.beta_fast != 32) numbers["beta_fast"] = model.architecture.beta_fast;
  if (!model.architecture.reads_betas) return;
  for (const auto& [key, name] : {std::pair(kBetaFastKey, "beta_fast"), std::pair(kBetaSlowKey, "beta_slow")}) {
    const auto given = model.metadata.number(key);
    if (!given) continue;
    numbers[name] = given->value;
    profile.origin[std::string("extension.") + name] = given->origin;
  }
}

void apply_yarn(const GgufModel& model, const Scaling& scaling, Profile& profile) {
  Extension& extension = profile.spec.extension;
  extension = {"yarn", {{"factor", scaling.factor.value}}, {}};
  read_betas(model, profile);
  double mscale = 1, all_dim = log_multiplier(model);
  if (model.architecture.mscale_of_all_dim && all_dim != 0) mscale = all_dim;
  const double factor = scaling.factor.value;
  const double own =
      all_dim == 0 ? yarn_amplitude(factor, 1) : yarn_amplitude(factor, mscale) / yarn_amplitude(factor, all_dim);
  if (!model.architecture.yarn_amplitude) {
    extension.numbers["attention_factor"] = 1;
  } else if (scaling.attention.value != 1) {
    extension.numbers["attention_factor"] = own * scaling.attention.value;
    profile.origin["extension.attention_factor"] = scaling.attention.origin;
  } else if (all_dim != 0) {
    extension.numbers["mscale"] = mscale;
    extension.numbers["mscale_all_dim"] = all_dim;
    profile.origin["extension.mscale_all_dim"] = model.metadata.origin(kLogMultiplier);
  }
}

/// Applies longrope's lists: divisors of the frequencies up to the trained length and beyond it.
void apply_lists(const Scaling& scaling, std::vector<double> near, std::vector<double> far, Profile& profile) {
  for (auto* list : {&near, &far}) {
    for (double& factor : *list) factor *= scaling.factor.value;
  }
  Extension& extension = profile.spec.extension;
  extension = {"longrope", {{"attention_factor", scaling.attention.value}}, {}};
  extension.lists["short_factors"] = std::move(near);
  extension.lists["long_factors"] = std::move(far);
  profile.origin["extension.attention_factor"] = scaling.attention.origin;
}

void apply_longrope(const GgufModel& model, const Scaling& scaling, Profile& profile) {
  const int pairs = profile.spec.axes.front().rotary_dim / 2;
  const std::vector<double> ones(static_cast<std::size_t>(pairs), 1.0);
  const auto near = read_factors(model.parts, kShortFactors, pairs),
             far = read_factors(model.parts, kLongFactors, pairs);
  apply_lists(scaling, near.value_or(ones), far.value_or(ones), profile);
  const auto longest = model.metadata.whole(kLength);
  if (longest && longest->value > 0 && profile.spec.trained_length) {
    profile.spec.extension.numbers["factor"] = std::max(1.0, longest->value / *profile.spec.trained_length);
    profile.origin["extension.factor"] = quotient_of(longest->origin, profile.origin["trained_length"]);
  }
  profile.origin["extension"] = one_of({std::string(kShortFactors), std::string(kLongFactors)});
  profile.notes.emplace_back("gguf_note.by_context");
}

/// Applies rope_freqs.weight: as parameters of llama3 or Gemma 4 if they fit, else as a list of factors.
void apply_factors(const Scaling& scaling, const std::vector<double>& factors, Profile& profile) {
  RotarySpec& spec = profile.spec;
  const RotaryAxis& axis = spec.axes.front();
  profile.origin["extension"] = verbatim(kRopeFactors);
  if (scaling.factor.value == 1) {
    if (const auto live = find_live_pairs(factors)) {
      double fraction = 2.0 * *live / axis.rotary_dim;
      if (static_cast<int>(fraction * axis.rotary_dim / 2) != *live) fraction = (2.0 * *live + 0.5) / axis.rotary_dim;
      spec.extension = {"proportional", {{"live_fraction", fraction}}, {}};
      return;
    }
    if (const auto asked = find_llama3(axis, factors)) {
      spec.extension = {
          "llama3",
          {{"factor", asked->factor}, {"low_frequency_factor", asked->low}, {"high_frequency_factor", asked->high}},
          {}};
      spec.trained_length = asked->length;
      profile.origin["trained_length"] = verbatim(kRopeFactors);
      profile.notes.push_back({"gguf_note.llama3", {{"tensor", kRopeFactors}}});
      return;
    }
  }
  apply_lists(scaling, factors, factors, profile);
  profile.notes.push_back({"gguf_note.factors", {{"tensor", kRopeFactors}}});
}

bool all_ones(const std::vector<double>& factors) {
  return std::all_of(factors.begin(), factors.end(), [](double factor) { return factor == 1; });
}

void note_gguf_lengths(const GgufModel& model, Profile& profile) {
  const auto longest = model.metadata.whole(kLength);
  if (!longest || !profile.spec.trained_length || longest->value == *profile.spec.trained_length) return;
  profile.notes.push_back({"config_note.lengths",
                           {{"other", longest->origin},
                            {"length", longest->value},
                            {"taken", profile.origin["trained_length"]},
                            {"trained", *profile.spec.trained_length}}});
}

/// Notes a key unless it has the value that changes nothing.
void note_key(const GgufModel& model, const char* name, double without, Message::List& notes) {
  const auto given = model.metadata.number(name);
  if (!given || given->value == without) return;
  notes.push_back(
      {"gguf_note.unread",
       {{"key", given->origin}, {"value", given->value}, {"architecture", in_quotes(model.metadata.architecture)}}});
}

}  // namespace

ModelConfig parse_gguf_config(std::span<const GgufFile> parts) {
  check_parts(parts);
  const GgufModel model = model_of(parts);
  const bool latent = counted(model, kLatent).has_value() || model.architecture.compressed;
  ModelConfig config;
  config.model_type = model.metadata.architecture;
  for (const Layers& kind : kinds_of(model, latent)) config.profiles.push_back(read_gguf_profile(model, kind));
  if (model.architecture.extended_later) take_pretrained_length(config.profiles);
  if (config.profiles.size() == 2 && config.profiles[0].spec == config.profiles[1].spec) config.profiles.pop_back();
  if (config.profiles.size() == 1) config.profiles.front().name = kTextProfile;
  const GgufLayers layers = gguf_layers(model);
  const Message::List common = notes_of(model, layers, latent);
  for (Profile& profile : config.profiles) {
    profile.notes.insert(profile.notes.begin(), common.begin(), common.end());
    note_gguf_numbers(layers, profile.name, profile.notes);
    note_gguf_window(model, layers, profile.name, profile.notes);
  }
  return config;
}

std::vector<int> find_unrotated_gguf_layers(std::span<const GgufFile> parts) {
  const GgufLayers layers = gguf_layers(model_of(parts));
  return layers.where(layers.turned, false);
}

void read_length(const GgufModel& model, Profile& profile) {
  for (const char* name : {kOriginalKey, kLength}) {
    const auto length = model.metadata.whole(name);
    if (!length || length->value == 0) continue;
    profile.spec.trained_length = length->value;
    profile.origin["trained_length"] = length->origin;
    return;
  }
}

void read_amplitude(const GgufModel& model, Profile& profile) {
  const auto attention = model.metadata.positive(kAttention);
  if (!attention || attention->value == 1) return;
  profile.spec.amplitude = attention->value;
  profile.origin["amplitude"] = attention->origin;
  profile.notes.push_back({"gguf_note.amplitude", {{"key", attention->origin}, {"value", attention->value}}});
}

void extend_profile(const GgufModel& model, Profile& profile) {
  const Scaling scaling = read_scaling(model);
  const GgufArchitecture& architecture = model.architecture;
  profile.origin["extension"] = scaling.type.origin;
  read_length(model, profile);
  const bool longrope =
      architecture.always_longrope || (architecture.reads_factors && scaling.type.value == GgufScaling::longrope);
  const bool has_lists = has_factors(model.parts, kShortFactors) || has_factors(model.parts, kLongFactors);
  const int pairs = profile.spec.axes.front().rotary_dim / 2;
  const auto factors =
      architecture.reads_factors && !longrope ? read_factors(model.parts, kRopeFactors, pairs) : std::nullopt;
  const bool factored = factors && !all_ones(*factors);
  const bool yarn = scaling.yarn && scaling.factor.value != 1;
  if (yarn && ((longrope && has_lists) || factored)) throw InputError(model.source(), "gguf.yarn_and_factors", {});
  const auto alpha = architecture.reads_alpha ? model.metadata.number("rope.scaling.alpha") : std::nullopt;
  if (longrope && has_lists) {
    apply_longrope(model, scaling, profile);
  } else if (factored) {
    apply_factors(scaling, *factors, profile);
  } else if (yarn) {
    apply_yarn(model, scaling, profile);
  } else if (alpha && alpha->value > 0) {
    profile.spec.extension = {"ntk-alpha", {{"ntk_alpha", alpha->value}}, {}};
    profile.origin["extension"] = alpha->origin;
  } else if (scaling.factor.value != 1) {
    profile.spec.extension = {"linear", {{"factor", scaling.factor.value}}, {}};
    profile.origin["extension.factor"] = scaling.factor.origin;
  }
  const ScalingMethod& method = find_scaling_method(profile.spec.extension.method);
  if (!method.changes_amplitude) read_amplitude(model, profile);
  if (scaling.type.value == GgufScaling::longrope && !has_lists) profile.notes.emplace_back("gguf_note.no_lists");
  if (yarn) profile.origin["extension.factor"] = scaling.factor.origin;
  note_gguf_lengths(model, profile);
  check_extension_of(profile, verbatim(model.source()), profile.origin["extension"]);
}

void note_unread(const GgufModel& model, Message::List& notes) {
  const GgufArchitecture& architecture = model.architecture;
  if (!model.known) return;
  if (!architecture.reads_betas) {
    note_key(model, kBetaFastKey, architecture.beta_fast, notes);
    note_key(model, kBetaSlowKey, 1, notes);
  }
  if (!architecture.reads_ext_factor) note_key(model, kExtFactor, 1, notes);
  note_key(model, kYarnAttention, 1, notes);  // llama.cpp overwrites the value it reads
  if (architecture.log_multiplier == GgufLogMultiplier::unread) note_key(model, kLogMultiplier, 0, notes);
  const bool longrope = architecture.always_longrope || architecture.reads_factors;
  for (const auto& [tensor, read] : {std::pair(kRopeFactors, architecture.reads_factors),
                                     std::pair(kShortFactors, longrope), std::pair(kLongFactors, longrope)}) {
    if (read || !has_factors(model.parts, tensor)) continue;
    notes.push_back(
        {"gguf_note.unread_tensor", {{"tensor", tensor}, {"architecture", in_quotes(model.metadata.architecture)}}});
  }
}

}  // namespace ropescope
