#include "core/formats/gguf_extension.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/formats/config_towers.h"
#include "core/formats/gguf_factors.h"
#include "core/number_text.h"

namespace ropescope {

namespace {

constexpr const char* kType = "rope.scaling.type";
constexpr const char* kGgufExtensionFactor = "rope.scaling.factor";
constexpr const char* kOldFactor = "rope.scale_linear";
constexpr const char* kAttention = "rope.scaling.attn_factor";
constexpr const char* kGgufExtensionOriginal = "rope.scaling.original_context_length";
constexpr const char* kLength = "context_length";
constexpr const char* kLogMultiplier = "rope.scaling.yarn_log_multiplier";
constexpr const char* kExtFactor = "rope.scaling.yarn_ext_factor";
constexpr const char* kGgufExtensionBetaFast = "rope.scaling.yarn_beta_fast";
constexpr const char* kGgufExtensionBetaSlow = "rope.scaling.yarn_beta_slow";
constexpr const char* kYarnAttention = "rope.scaling.yarn_attn_factor";

struct Scaling {
  Read<std::string> type;
  Read<double> factor;  ///< 1/freq_scale
  Read<double> attention;
  bool yarn = false;
};

Read<double> read_factor(const GgufModel& model) {
  for (const char* name : {kGgufExtensionFactor, kOldFactor}) {
    const auto found = model.metadata.number(name);
    if (!found) continue;
    if (found->value < 0) model.metadata.reject(name, number_text(found->value), Words("gguf.from_0"));
    return found->value == 0 ? Read<double>{1, found->origin} : *found;
  }
  return {1, model.program_default()};
}

bool extrapolates(const GgufModel& model, const std::string& type) {
  const auto given = model.architecture.reads_ext_factor ? model.metadata.number(kExtFactor) : std::nullopt;
  if (!given || given->value < 0) return type == "yarn";
  if (given->value != 0 && given->value != 1) {
    model.metadata.reject(kExtFactor, number_text(given->value), Words("gguf.ext_factor"));
  }
  return given->value == 1;
}

Scaling read_scaling(const GgufModel& model) {
  Scaling scaling{{"linear", model.program_default()}, read_factor(model), {1, model.program_default()}};
  if (auto type = model.metadata.text(kType)) {
    scaling.type = std::move(*type);
  } else {
    scaling.type.origin = scaling.factor.origin;  // a factor alone is a linear one
  }
  const std::string& type = scaling.type.value;
  if (type != "none" && type != "linear" && type != "yarn" && type != "longrope") {
    model.metadata.reject(kType, in_quotes(type), as_it_is("none, linear, yarn, longrope"));
  }
  if (type == "none") scaling.factor = {1, scaling.type.origin};
  if (const auto attention = model.metadata.positive(kAttention)) scaling.attention = *attention;
  scaling.yarn = extrapolates(model, type);
  return scaling;
}

double yarn_part(double factor, double mscale) {
  return factor > 1 ? 0.1 * mscale * std::log(factor) + 1 : 1;
}

/// mscale_all_dim; 0 where the architecture does not read it.
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
  for (const auto& [key, name] :
       {std::pair(kGgufExtensionBetaFast, "beta_fast"), std::pair(kGgufExtensionBetaSlow, "beta_slow")}) {
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
  if (model.architecture.name == std::string_view("deepseek2") && all_dim != 0) mscale = all_dim;
  const double factor = scaling.factor.value;
  const double own = all_dim == 0 ? yarn_part(factor, 1) : yarn_part(factor, mscale) / yarn_part(factor, all_dim);
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

/// Lists of factors under longrope: what divides the frequencies up to the trained length and beyond it.
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

/// rope_freqs.weight: the factors of llama3 or of Gemma 4, said by their own numbers, or whatever else they are.
void apply_factors(const Scaling& scaling, const std::vector<double>& factors, Profile& profile) {
  RotarySpec& spec = profile.spec;
  const RotaryAxis& axis = spec.axes.front();
  profile.origin["extension"] = as_it_is(kRopeFactors);
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
      profile.origin["trained_length"] = as_it_is(kRopeFactors);
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

void note_lengths_gguf_extension(const GgufModel& model, Profile& profile) {
  const auto longest = model.metadata.whole(kLength);
  if (!longest || !profile.spec.trained_length || longest->value == *profile.spec.trained_length) return;
  profile.notes.push_back({"config_note.lengths",
                           {{"other", longest->origin},
                            {"length", longest->value},
                            {"taken", profile.origin["trained_length"]},
                            {"trained", *profile.spec.trained_length}}});
}

/// A float as a number in a note.
void note_key(const GgufModel& model, const char* name, double without, Words::List& notes) {
  const auto given = model.metadata.number(name);
  if (!given || given->value == without) return;
  notes.push_back({"gguf_note.unread",
                   {{"key", given->origin}, {"value", given->value}, {"architecture", model.metadata.architecture}}});
}

}  // namespace

void read_length(const GgufModel& model, Profile& profile) {
  for (const char* name : {kGgufExtensionOriginal, kLength}) {
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
      architecture.always_longrope || (architecture.reads_factors && scaling.type.value == "longrope");
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
  const std::string& method = profile.spec.extension.method;
  if (method != "yarn" && method != "longrope") read_amplitude(model, profile);
  if (scaling.type.value == "longrope" && !has_lists) profile.notes.emplace_back("gguf_note.no_lists");
  if (yarn) profile.origin["extension.factor"] = scaling.factor.origin;
  note_lengths_gguf_extension(model, profile);
  check_extension_of(profile, as_it_is(model.source()), profile.origin["extension"]);
}

void note_unread(const GgufModel& model, Words::List& notes) {
  const GgufArchitecture& architecture = model.architecture;
  if (!model.known) return;
  if (!architecture.reads_betas) {
    note_key(model, kGgufExtensionBetaFast, architecture.beta_fast, notes);
    note_key(model, kGgufExtensionBetaSlow, 1, notes);
  }
  if (!architecture.reads_ext_factor) note_key(model, kExtFactor, 1, notes);
  note_key(model, kYarnAttention, 1, notes);  // what is read of it is overwritten
  if (architecture.log_multiplier == GgufLogMultiplier::unread) note_key(model, kLogMultiplier, 0, notes);
  const bool longrope = architecture.always_longrope || architecture.reads_factors;
  for (const auto& [tensor, read] : {std::pair(kRopeFactors, architecture.reads_factors),
                                     std::pair(kShortFactors, longrope), std::pair(kLongFactors, longrope)}) {
    if (read || !has_factors(model.parts, tensor)) continue;
    notes.push_back({"gguf_note.unread_tensor", {{"tensor", tensor}, {"architecture", model.metadata.architecture}}});
  }
}

}  // namespace ropescope
