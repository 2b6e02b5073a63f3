// Equivalents of a profile: options of llama.cpp, rope_parameters of transformers. Read equivalents.h first.
//
// Contents: Shared; Equivalents; llama.cpp; Transformers.

#include "core/formats/programs/equivalents.h"

#include <algorithm>
#include <cmath>

#include "core/formats/nlohmann.h"
#include "core/message.h"
#include "core/registry.h"
#include "core/scaling/methods.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Shared --------------------------------------------------------------------------------------------------------

std::optional<double> number_in(const Extension& extension, std::string_view name) {
  return fill_defaults(extension).number(name);
}

extern const OtherWords kLlamaCppWords, kTransformersWords, kNumpyWords;

namespace {

/// Returns the base that gives the ladder of a single axis at that length (plain ladders, NTK methods), or nullopt.
std::optional<double> base_of_all(const RotarySpec& spec, const std::optional<double>& length) {
  if (spec.axes.size() != 1) return std::nullopt;
  return scaled_ladder(spec, 0, length).effective_base;
}

/// Adds a sentence if the method depends on the length, so that its equivalent is valid for one length only.
void note_length(const EquivalentOf& of, const RotarySpec& spec, Equivalent& equivalent) {
  const ScalingMethod& method = find_scaling_method(spec.extension.method);
  if (!method.depends_on_length || !spec.trained_length) return;
  equivalent.unsaid.push_back(
      {"equivalent.one_length",
       {{"method", method.name}, {"length", number_text(of.length.value_or(*spec.trained_length))}}});
}

/// Adds what a profile has besides its ladder and the program has no fields for: sections, a query scale.
void note_beside(const Profile& profile, std::string_view program, Equivalent& equivalent) {
  if (!profile.sections.empty()) {
    equivalent.unsaid.push_back(
        {profile.assignment == PairAssignment::interleaved   ? "equivalent.interleaved_sections"
         : profile.assignment == PairAssignment::alternating ? "equivalent.alternating_sections"
                                                             : "equivalent.sections",
         {{"profile", profile.name}, {"sections", joined(profile.sections, ", ", number_text)}, {"program", program}}});
  }
  if (profile.query_beta) {
    equivalent.unsaid.push_back(
        {"equivalent.query_scale", {{"profile", profile.name}, {"beta", *profile.query_beta}, {"program", program}}});
  }
}

/// Adds the notes on layers that are not rotated, for which no program has a rotary field.
void note_layers(const Profile& profile, Equivalent& equivalent) {
  constexpr std::string_view kOnLayers[] = {"config_note.unrotated", "config_note.one_unrotated_in",
                                            "config_note.one_unrotated_in_of"};
  for (const Message& note : profile.notes) {
    if (std::ranges::count(kOnLayers, note.key) > 0) equivalent.unsaid.push_back(note);
  }
}

/// Returns the sentence on several position axes, which the program cannot express.
Message several_axes(const Profile& profile, std::string_view program) {
  const std::string axes = joined(profile.spec.axes, ", ", &RotaryAxis::name);
  return {"equivalent.axes", {{"profile", profile.name}, {"axes", axes}, {"program", program}}};
}

// --- Equivalents ---------------------------------------------------------------------------------------------------

// Programs first, then standalone code.
const OtherWords kWords[] = {kLlamaCppWords, kTransformersWords, kNumpyWords};

// --- llama.cpp -----------------------------------------------------------------------------------------------------

constexpr const char* kLlamaCpp = "llama.cpp";

class Options {
 public:
  void add(const char* name, const std::string& value) {
    text_ += text_.empty() ? "" : " ";
    text_ += std::string("--") + name + ' ' + value;
  }
  void add(const char* name, double value) { add(name, number_text(value)); }
  std::string text() const { return text_; }

 private:
  std::string text_;
};

/// Adds the amplitude. llama.cpp itself multiplies by the amplitude that YaRN has without an attention factor.
void add_llama_amplitude(double amplitude, double factor, Options& options, Equivalent& equivalent) {
  const double rest = amplitude / yarn_amplitude(factor, 1);
  const bool own = std::abs(rest - 1) < 1e-6;
  options.add("yarn-attn-factor", own ? 1 : rest);
  if (own) return;
  // Since pull request 17945 the option is overwritten if YaRN is on; the number in the file is not.
  equivalent.unsaid.push_back({"equivalent.yarn_amplitude",
                               {{"amplitude", amplitude},
                                {"own", yarn_amplitude(factor, 1)},
                                {"option", "--yarn-attn-factor"},
                                {"rest", rest}}});
}

void add_yarn(const RotarySpec& spec, Options& options, Equivalent& equivalent) {
  const double factor = *number_in(spec.extension, "factor");
  options.add("rope-scaling", "yarn");
  options.add("rope-freq-base", spec.axes.front().base);
  options.add("rope-freq-scale", 1 / factor);
  options.add("yarn-orig-ctx", *spec.trained_length);
  options.add("yarn-ext-factor", 1);
  add_llama_amplitude(head_ladder(spec).amplitude, factor, options, equivalent);
  options.add("yarn-beta-fast", *number_in(spec.extension, "beta_fast"));
  options.add("yarn-beta-slow", *number_in(spec.extension, "beta_slow"));
  if (*number_in(spec.extension, "truncate") == 0) equivalent.unsaid.emplace_back("equivalent.rounded_ramp");
  if (*number_in(spec.extension, "paper_ramp") != 0) equivalent.unsaid.emplace_back("equivalent.ramp_of_index");
}

/// Returns the sentence for a method that llama.cpp reads from the file as factors for each pair; null for others.
const char* factors_of(std::string_view method) {
  constexpr std::pair<std::string_view, const char*> kSentences[] = {{"longrope", "equivalent.factor_lists"},
                                                                     {"llama3", "equivalent.factors"},
                                                                     {"proportional", "equivalent.factors"}};
  for (const auto& [name, sentence] : kSentences) {
    if (name == method) return sentence;
  }
  return nullptr;
}

/// Adds one base, with or without a factor for all pairs: none, linear and the NTK methods.
bool add_base(const EquivalentOf& of, const RotarySpec& spec, Options& options) {
  const double amplitude = head_ladder(spec, of.length).amplitude;
  if (spec.extension.method == "linear") {
    options.add("rope-scaling", "linear");
    options.add("rope-freq-base", spec.axes.front().base);
    options.add("rope-freq-scale", 1 / *number_in(spec.extension, "factor"));
  } else if (const auto base = base_of_all(spec, of.length)) {
    options.add("rope-scaling", "none");
    options.add("rope-freq-base", *base);
  } else {
    return false;
  }
  if (amplitude != 1) options.add("yarn-attn-factor", amplitude);
  return true;
}

void add_first_profile(const EquivalentOf& of, const Profile& profile, Equivalent& equivalent) {
  const RotarySpec& spec = profile.spec;
  if (spec.axes.size() != 1) return equivalent.unsaid.push_back(several_axes(profile, kLlamaCpp));
  const std::string& method = spec.extension.method;
  if (spec.axes.front().ladder == Ladder::given) {
    return equivalent.unsaid.push_back({"equivalent.given_ladder", {{"program", kLlamaCpp}}});
  }
  Options options;
  if (method == "yarn" && spec.axes.front().ladder == Ladder::plain) {
    add_yarn(spec, options, equivalent);
  } else if (const char* sentence = factors_of(method)) {
    equivalent.unsaid.push_back({sentence, {{"method", method}}});
    options.add("rope-scaling", "none");
    options.add("rope-freq-base", spec.axes.front().base);
  } else if (!add_base(of, spec, options)) {
    return equivalent.unsaid.push_back({"equivalent.no_method", {{"method", method}, {"program", kLlamaCpp}}});
  } else {
    note_length(of, spec, equivalent);
  }
  equivalent.text = options.text();
  const char* pairs = spec.pairing == Pairing::interleaved ? "interleaved" : "half";
  equivalent.unsaid.push_back(
      {"equivalent.of_file", {{"pairing", pairs}, {"rotary", total_rotary_dim(spec)}, {"head", spec.head_dim}}});
}

Equivalent express_in_llama_cpp(const EquivalentOf& of) {
  Equivalent equivalent;
  bool first = true;
  for (const Profile& profile : of.profiles) {
    const bool sliding = profile.name.find("sliding") == 0;
    if (first && !sliding) {
      add_first_profile(of, profile, equivalent);
    } else {
      equivalent.unsaid.push_back({"equivalent.layers_of_file", {{"profile", profile.name}, {"program", kLlamaCpp}}});
    }
    note_beside(profile, kLlamaCpp, equivalent);
    note_layers(profile, equivalent);
    first = false;
  }
  return equivalent;
}

// --- Transformers --------------------------------------------------------------------------------------------------

using nlohmann::ordered_json;

constexpr const char* kTransformers = "transformers";
constexpr const char* kOriginalLength = "original_max_position_embeddings";

struct TheirName {
  const char* ours;
  const char* theirs;
};
// clang-format off
constexpr TheirName kTheirNumbers[] = {
    {"factor", "factor"}, {"attention_factor", "attention_factor"}, {"beta_fast", "beta_fast"},
    {"beta_slow", "beta_slow"}, {"mscale", "mscale"}, {"mscale_all_dim", "mscale_all_dim"},
    {"low_frequency_factor", "low_freq_factor"}, {"high_frequency_factor", "high_freq_factor"},
    {"live_fraction", "partial_rotary_factor"}};
// clang-format on
constexpr TheirName kTheirLists[] = {{"long_factors", "long_factor"}, {"short_factors", "short_factor"}};
/// Methods with the same name in transformers.
constexpr const char* kShared[] = {"linear", "dynamic", "yarn", "longrope", "llama3", "proportional"};
/// Methods whose L is in the RoPE object; for others it is max_position_embeddings.
constexpr const char* kWithLength[] = {"yarn", "longrope", "llama3"};

template <std::size_t N>
bool is_one_of(const char* const (&names)[N], const std::string& name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Converts a length to JSON, without a fractional part if it is an integer.
ordered_json length_json(double length) {
  return length == std::floor(length) ? ordered_json(static_cast<std::int64_t>(length)) : ordered_json(length);
}

/// Returns a fraction for which int(head·fraction), truncated as in Python, is the rotary dimension.
double fraction_of(int rotary, int head) {
  const double fraction = static_cast<double>(rotary) / head;
  return static_cast<int>(head * fraction) == rotary ? fraction : std::nextafter(fraction, 1.0);
}

void add_numbers(const RotarySpec& spec, ordered_json& object, Equivalent& equivalent) {
  const Extension& extension = spec.extension;
  for (const TheirName& name : kTheirNumbers) {
    if (const auto found = extension.number(name.ours)) object[name.theirs] = *found;
  }
  if (const auto truncate = extension.number("truncate")) object["truncate"] = *truncate != 0;
  if (number_in(extension, "paper_ramp").value_or(0) != 0) equivalent.unsaid.emplace_back("equivalent.ramp_of_index");
  for (const TheirName& name : kTheirLists) {
    const auto found = extension.lists.find(name.ours);
    if (found != extension.lists.end()) object[name.theirs] = found->second;
  }
  if (is_one_of(kWithLength, extension.method)) object[kOriginalLength] = length_json(*spec.trained_length);
}

void set_their_amplitude(const EquivalentOf& of, const RotarySpec& spec, ordered_json& object, Equivalent& equivalent) {
  if (spec.amplitude == 1) return;
  const double amplitude = head_ladder(spec, of.length).amplitude;
  if (find_parameter(find_scaling_method(spec.extension.method), "attention_factor")) {
    object["attention_factor"] = amplitude;
  } else {
    equivalent.unsaid.push_back({"equivalent.amplitude", {{"amplitude", amplitude}, {"program", kTransformers}}});
  }
}

/// Returns rope_parameters for one kind of layers; null if transformers cannot express it.
ordered_json parameters_of(const EquivalentOf& of, const Profile& profile, Equivalent& equivalent) {
  const RotarySpec& spec = profile.spec;
  if (spec.axes.size() != 1) {
    equivalent.unsaid.push_back(several_axes(profile, kTransformers));
    return nullptr;
  }
  const RotaryAxis& axis = spec.axes.front();
  if (axis.ladder == Ladder::given) {
    equivalent.unsaid.push_back({"equivalent.given_ladder", {{"program", kTransformers}}});
    return nullptr;
  }
  const std::string& method = spec.extension.method;
  const bool whole = find_scaling_method(method).exponents_over_head, turns_part = axis.rotary_dim < spec.head_dim;
  ordered_json object;
  if (axis.ladder == Ladder::proportional && !extends(spec.extension.method) && !turns_part) {
    object = {{"rope_type", "proportional"}, {"rope_theta", axis.base}, {"partial_rotary_factor", axis.live_fraction}};
    if (axis.factor != 1) object["factor"] = axis.factor;
  } else if (axis.ladder == Ladder::plain && is_one_of(kShared, method) && !(whole && turns_part)) {
    object = {{"rope_type", method}, {"rope_theta", axis.base}};
    add_numbers(spec, object, equivalent);
  } else if (const auto base = base_of_all(spec, of.length)) {
    object = {{"rope_type", "default"}, {"rope_theta", *base}};
    note_length(of, spec, equivalent);
  } else {
    equivalent.unsaid.push_back({"equivalent.no_method", {{"method", method}, {"program", kTransformers}}});
    return nullptr;
  }
  if (turns_part) object["partial_rotary_factor"] = fraction_of(axis.rotary_dim, spec.head_dim);
  set_their_amplitude(of, spec, object, equivalent);
  if (!profile.sections.empty()) {
    ordered_json& sections = object[profile.sections.size() == 4 ? "xdrope_section" : "mrope_section"];
    for (const double pairs : profile.sections) sections.push_back(length_json(pairs));
    if (profile.assignment == PairAssignment::interleaved) object["mrope_interleaved"] = true;
  }
  if (profile.query_beta) object["llama_4_scaling_beta"] = *profile.query_beta;
  return object;
}

/// Returns the layer type of a profile: sliding_attention for "sliding attention"; empty if transformers has none.
std::string layer_type(const Profile& profile, bool compressed) {
  if (compressed) return profile.name == kCompressedProfile ? "compress" : "main";  // DeepSeek-V4
  if (!profile.name.ends_with("attention")) return {};
  std::string type = profile.name;
  std::replace(type.begin(), type.end(), ' ', '_');
  return type;
}

bool is_latent(const Profile& profile) {
  const auto origin = profile.origin.find("head_dim");
  return origin != profile.origin.end() && debug_text(origin->second).find("qk_rope_head_dim") != std::string::npos;
}

void set_head(const std::vector<const Profile*>& said, ordered_json& root) {
  const int head = said.back()->spec.head_dim, of_full = said.front()->spec.head_dim;
  root[is_latent(*said.front()) ? "qk_rope_head_dim" : "head_dim"] = head;
  if (of_full != head) root["global_head_dim"] = of_full;
}

void set_length(const Profile& profile, ordered_json& root) {
  const RotarySpec& spec = profile.spec;
  // If the object has the trained length, the root has the length that the extension is for.
  const bool extended = is_one_of(kWithLength, spec.extension.method);
  const std::optional<double>& length =
      extended || profile.context_length ? profile.context_length : spec.trained_length;
  if (length) root["max_position_embeddings"] = length_json(*length);
}

Equivalent express_in_transformers(const EquivalentOf& of) {
  Equivalent equivalent;
  const bool compressed = find_named_entry(of.profiles, kCompressedProfile) != nullptr;
  ordered_json single, by_type = ordered_json::object();
  std::vector<const Profile*> said;
  for (const Profile& profile : of.profiles) {
    const std::string type = of.profiles.size() > 1 ? layer_type(profile, compressed) : "";
    if (!said.empty() && (type.empty() || !single.is_null())) {
      equivalent.unsaid.push_back(
          {"equivalent.layers_of_class", {{"profile", profile.name}, {"program", kTransformers}}});
      continue;
    }
    note_layers(profile, equivalent);
    const ordered_json object = parameters_of(of, profile, equivalent);
    if (object.is_null()) continue;
    said.push_back(&profile);
    (type.empty() ? single : by_type[type]) = object;
  }
  if (said.empty()) return equivalent;
  ordered_json root;
  set_head(said, root);
  set_length(*said.front(), root);
  root["rope_parameters"] = single.is_null() ? by_type : single;
  equivalent.text = root.dump(2, ' ', false, ordered_json::error_handler_t::replace);
  const char* pairs = said.front()->spec.pairing == Pairing::interleaved ? "interleaved" : "half";
  equivalent.unsaid.push_back({"equivalent.of_class", {{"pairing", pairs}}});
  return equivalent;
}

}  // namespace

std::span<const OtherWords> all_other_words() {
  return kWords;
}

const OtherWords& find_other_words(std::string_view name) {
  if (const OtherWords* found = find_named_entry(kWords, name)) return *found;
  std::vector<std::string> names;
  for (const OtherWords& words : kWords) names.emplace_back(words.name);
  throw InputError("equivalent.unknown", {{"name", name}, {"known", one_of(names)}});
}

/// --rope-scaling, --rope-freq-base, --rope-freq-scale, --yarn-…: one line. YaRN's cos and sin are multiplied by
/// --yarn-attn-factor times 0.1·ln s + 1; other methods' by --yarn-attn-factor alone.
extern constinit const OtherWords kLlamaCppWords{
    .name = kLlamaCpp,
    .source = "ggml-org/llama.cpp common/arg.cpp, src/llama-context.cpp; ggml src/ggml-cpu/ops.cpp rope_yarn",
    .of = express_in_llama_cpp};

/// "head_dim", "max_position_embeddings" and "rope_parameters" of a config.json, with one object per layer_type if
/// layers differ. Methods without a name in transformers that equal a changed base (NTK kinds) become that base.
extern constinit const OtherWords kTransformersWords{
    .name = kTransformers,
    .source = "huggingface/transformers modeling_rope_utils.py RopeParameters; vllm-project/vllm patch_rope_parameters",
    .of = express_in_transformers};

}  // namespace ropescope
