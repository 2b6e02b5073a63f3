#include "core/formats/gguf_config.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/formats/config_families.h"
#include "core/formats/config_towers.h"
#include "core/formats/gguf_extension.h"
#include "core/formats/gguf_split.h"

namespace ropescope {

namespace {

constexpr const char* kRotary = "rope.dimension_count";
constexpr const char* kRotarySliding = "rope.dimension_count_swa";
constexpr const char* kGgufConfigBase = "rope.freq_base";
constexpr const char* kBaseSliding = "rope.freq_base_swa";
constexpr const char* kCompressedBase = "attention.compress_rope_freq_base";
constexpr const char* kGgufConfigKey = "attention.key_length";
constexpr const char* kKeySliding = "attention.key_length_swa";
constexpr const char* kGgufConfigHeads = "attention.head_count";
constexpr const char* kEmbedding = "embedding_length";
constexpr const char* kWindow = "attention.sliding_window";
constexpr const char* kGgufConfigSections = "rope.dimension_sections";
constexpr const char* kLatent = "attention.kv_lora_rank";
constexpr double kDefaultBase = 10000;

/// A whole number above 0.
std::optional<Read<int>> counted(const GgufModel& model, std::string_view name) {
  const auto found = model.metadata.whole(name);
  return found && found->value > 0 ? found : std::nullopt;
}

/// key_length, else embedding_length / head_count as a whole number.
Read<int> head_of(const GgufModel& model) {
  if (const auto key = counted(model, kGgufConfigKey)) return *key;
  const auto embedding = counted(model, kEmbedding), heads = counted(model, kGgufConfigHeads);
  if (!embedding || !heads) {
    throw InputError(model.source(), "gguf.no_head",
                     {{"key", model.metadata.key(kGgufConfigKey)},
                      {"embedding", model.metadata.key(kEmbedding)},
                      {"heads", model.metadata.key(kGgufConfigHeads)}});
  }
  return {embedding->value / heads->value, quotient_of(embedding->origin, heads->origin)};
}

/// rope.dimension_count, else the head; some architectures refuse to turn a part of it.
Read<int> rotary_of(const GgufModel& model, const Read<int>& head) {
  const auto rotary = model.metadata.whole(kRotary);
  if (rotary && rotary->value <= 0) {
    model.metadata.reject(kRotary, std::to_string(rotary->value), Words("expected.whole_above_0"));
  }
  if (rotary && model.architecture.whole_head && rotary->value != head.value) {
    throw InputError(model.source(), "gguf.whole_head",
                     {{"key", rotary->origin},
                      {"rotary", rotary->value},
                      {"head", head.value},
                      {"architecture", model.metadata.architecture}});
  }
  return rotary.value_or(head);
}

Read<double> base_of(const GgufModel& model) {
  return model.metadata.number(kGgufConfigBase).value_or(Read<double>{kDefaultBase, model.program_default()});
}

Read<double> sliding_base_of(const GgufModel& model) {
  const GgufSliding kind = model.architecture.sliding;
  const auto given = kind == GgufSliding::plain ? std::nullopt : model.metadata.number(kBaseSliding);
  if (given) return *given;
  return kind == GgufSliding::own ? Read<double>{kDefaultBase, model.program_default()} : base_of(model);
}

/// The pairs of time, height, width and so on; none where the positions are not dealt to axes.
std::vector<int> sections_of_gguf_config(const GgufModel& model) {
  const GgufPairs pairs = model.architecture.pairs;
  if (pairs == GgufPairs::neighbours || pairs == GgufPairs::halves) return {};
  auto sections = model.metadata.wholes(kGgufConfigSections);
  if (!sections) return {};
  while (!sections->value.empty() && sections->value.back() == 0) sections->value.pop_back();
  const bool at_least_two = sections->value.size() >= 2 && sections->value[0] > 0 && sections->value[1] > 0;
  const bool asks = pairs == GgufPairs::neighbours_or_sections || pairs == GgufPairs::halves_or_sections;
  return asks && !at_least_two ? std::vector<int>() : sections->value;
}

Pairing pairing_of(const GgufModel& model) {
  const GgufPairs pairs = model.architecture.pairs;
  const bool neighbours = pairs == GgufPairs::neighbours ||
                          (pairs == GgufPairs::neighbours_or_sections && sections_of_gguf_config(model).empty());
  return neighbours ? Pairing::interleaved : Pairing::half_split;
}

/// Llama and its kin: halves become neighbours. GLM-4 with sections: neighbours become halves.
bool is_permuted(const GgufModel& model) {
  const bool to_halves = model.architecture.pairs == GgufPairs::neighbours_or_sections;
  return model.architecture.permuted || (to_halves && pairing_of(model) == Pairing::half_split);
}

bool has_window(const GgufModel& model) {
  return counted(model, kWindow).has_value();
}

// ---- notes ----------------------------------------------------------------------------------------------------------

void note_sections_gguf_config(const GgufModel& model, Words::List& notes) {
  std::string sum;
  for (const int pairs : sections_of_gguf_config(model)) sum += (sum.empty() ? "" : " + ") + std::to_string(pairs);
  if (sum.empty()) return;
  const bool by_turns = model.architecture.pairs == GgufPairs::sections_by_turns;
  notes.push_back({by_turns ? "config_note.interleaved_pairs" : "config_note.contiguous_pairs", {{"pairs", sum}}});
}

void note_window_gguf_config(const GgufModel& model, const std::string& name, Words::List& notes) {
  const auto window = counted(model, kWindow);
  // Phi-3's is read and switched off.
  if (!window || name == "full attention" || model.architecture.always_longrope) return;
  notes.push_back({name == "text" ? "config_note.window" : "config_note.window_of_these",
                   {{"positions", window->value}, {"field", window->origin}}});
}

void note_unrotated(const GgufModel& model, Words::List& notes) {
  const int every = model.architecture.unrotated_every;
  const auto window = model.metadata.whole(kWindow);
  const bool all_turn = window ? window->value == 0 : model.architecture.needs_window;
  if (every == 0 || all_turn) return;
  const auto blocks = counted(model, "block_count");
  if (!blocks) return notes.push_back({"config_note.one_unrotated_in", {{"interval", every}}});
  std::vector<int> layers;
  for (int layer = every - 1; layer < std::min(blocks->value, kLargestDimension); layer += every)
    layers.push_back(layer);
  notes.push_back({"config_note.one_unrotated_in_of",
                   {{"interval", every},
                    {"count", layers.size()},
                    {"layers", blocks->value},
                    {"numbers", numbers_of_layers(layers)}}});
}

/// What a reader must know about any layers of the file.
Words::List notes_of(const GgufModel& model, bool latent) {
  Words::List notes;
  if (!model.known) {
    notes.push_back({"gguf_note.unknown_architecture", {{"architecture", model.metadata.architecture}}});
  }
  if (is_permuted(model)) {
    notes.emplace_back(model.architecture.permuted ? "gguf_note.permuted" : "gguf_note.permuted_to_halves");
  }
  if (latent) notes.emplace_back("config_note.latent_attention");
  note_sections_gguf_config(model, notes);
  const bool mixed_only = model.architecture.note == "config_note.mixed_only";
  const bool ramp_only = model.architecture.note == "gguf_note.rounded_ramp";
  const bool holds = (!mixed_only || has_window(model)) && (!ramp_only || model.metadata.has("rope.scaling.factor"));
  if (!model.architecture.note.empty() && holds) notes.emplace_back(model.architecture.note);
  note_unrotated(model, notes);
  note_unread(model, notes);
  return notes;
}

// ---- profiles -------------------------------------------------------------------------------------------------------

/// One kind of layers: name, head, rotary part and base are known, and whether the file's extension is theirs.
struct Layers {
  std::string name;
  Read<int> head, rotary;
  Read<double> base;
  bool extended = true;
  bool amplified = true;  ///< rope.scaling.attn_factor is theirs too
};

Profile read_profile_gguf_config(const GgufModel& model, const Layers& layers) {
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
  profile.origin["pairing"] = {"origin.architecture", {{"architecture", model.metadata.architecture}}};
  profile.permuted = is_permuted(model);
  check_profile(profile, as_it_is(model.source()));
  if (layers.extended) {
    extend_profile(model, profile);
  } else {
    profile.origin["extension"] = {"origin.sliding_plain", {{"architecture", model.metadata.architecture}}};
    read_length(model, profile);
    if (layers.amplified) read_amplitude(model, profile);
  }
  check_profile(profile, as_it_is(model.source()));
  return profile;
}

/// Full attention, then sliding where its layers may have a ladder of their own.
std::vector<Layers> kinds_of(const GgufModel& model, bool latent) {
  const GgufArchitecture& architecture = model.architecture;
  const Read<int> whole = head_of(model), rotary = rotary_of(model, whole);
  const Read<int> head = latent ? rotary : whole;
  Layers full{"full attention", head, rotary, base_of(model)};
  if (architecture.compressed) {
    Layers compressed = full;
    compressed.name = "compressed attention";
    if (const auto base = model.metadata.number(kCompressedBase)) compressed.base = *base;
    full.name = "sliding attention";
    full.extended = full.amplified = false;
    return {compressed, full};
  }
  if (architecture.half_of_full) full.rotary = {rotary.value / 2, {"origin.half", {{"of", rotary.origin}}}};
  if (architecture.needs_window && !has_window(model)) return {full};
  Layers sliding{"sliding attention", counted(model, kKeySliding).value_or(head),
                 counted(model, kRotarySliding).value_or(rotary), sliding_base_of(model)};
  sliding.extended = architecture.sliding == GgufSliding::same;
  sliding.amplified = architecture.sliding == GgufSliding::own;
  const bool sliding_turn_alone = architecture.note == "config_note.sliding_only";
  if (sliding_turn_alone) return {sliding};
  return {full, sliding};
}

/// rope.* of a file whose architecture nobody entered.
bool gguf_config_looks_rotary(const GgufMetadata& metadata) {
  return metadata.has(kGgufConfigBase) || metadata.has(kRotary);
}

GgufModel model_of(std::span<const GgufFile> parts) {
  GgufModel model{parts, gguf_metadata(parts.front()), {}};
  const std::string& name = model.metadata.architecture;
  const GgufArchitecture* known = find_gguf_architecture(name);
  model.known = known != nullptr;
  if (known) model.architecture = *known;
  const bool unrotated = is_unrotated_architecture(name);
  if (!known && !unrotated && !gguf_config_looks_rotary(model.metadata)) {
    throw InputError(model.source(), "gguf.nothing",
                     {{"architecture", in_quotes(name)},
                      {"base", model.metadata.key(kGgufConfigBase)},
                      {"rotary", model.metadata.key(kRotary)}});
  }
  const auto finetuned = model.architecture.switched ? model.metadata.flag("rope.scaling.finetuned") : std::nullopt;
  const int layers = model.architecture.unrotated_layers;
  const bool other = layers > 0 && model.metadata.whole("block_count").value_or(Read<int>{0, {}}).value == layers;
  if (unrotated || other || (finetuned && !finetuned->value)) {
    throw InputError(model.source(), "gguf.not_rotary", {{"architecture", in_quotes(name)}});
  }
  return model;
}

}  // namespace

ModelConfig parse_gguf_config(std::span<const GgufFile> parts) {
  check_parts(parts);
  const GgufModel model = model_of(parts);
  const bool latent = counted(model, kLatent).has_value() || model.architecture.compressed;
  ModelConfig config;
  config.model_type = model.metadata.architecture;
  for (const Layers& layers : kinds_of(model, latent))
    config.profiles.push_back(read_profile_gguf_config(model, layers));
  if (config.model_type == "gemma3") take_pretrained_length(config.profiles);
  if (config.profiles.size() == 2 && config.profiles[0].spec == config.profiles[1].spec) config.profiles.pop_back();
  if (config.profiles.size() == 1) config.profiles.front().name = "text";
  const Words::List common = notes_of(model, latent);
  for (Profile& profile : config.profiles) {
    profile.notes.insert(profile.notes.begin(), common.begin(), common.end());
    note_window_gguf_config(model, profile.name, profile.notes);
  }
  return config;
}

}  // namespace ropescope
