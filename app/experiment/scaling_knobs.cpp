#include "app/experiment/scaling_knobs.h"

#include "app/experiment/experiment.h"
#include "app/figure/number_text.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

struct NumberKnob {
  std::string_view key, parameter;
  double ScalingKnobs::*value;
  bool logarithmic = false;
};

// In the order of the controls. Ranges and initial values are those of the parameters in core/scaling.
constexpr NumberKnob kNumbers[] = {
    {"rope.factor", "factor", &ScalingKnobs::factor, true},
    {"rope.ntk_alpha", "ntk_alpha", &ScalingKnobs::ntk_alpha, true},
    {"rope.low_frequency_factor", "low_frequency_factor", &ScalingKnobs::low_frequency_factor, true},
    {"rope.high_frequency_factor", "high_frequency_factor", &ScalingKnobs::high_frequency_factor, true},
    {"rope.beta_fast", "beta_fast", &ScalingKnobs::beta_fast, true},
    {"rope.beta_slow", "beta_slow", &ScalingKnobs::beta_slow, true},
    {"rope.alpha", "alpha", &ScalingKnobs::alpha, true},
    {"rope.beta", "beta", &ScalingKnobs::beta, true},
    {"rope.beta_0", "beta_0", &ScalingKnobs::beta_0, true},
    {"rope.beta_1", "beta_1", &ScalingKnobs::beta_1, true},
    {"rope.gamma_0", "gamma_0", &ScalingKnobs::gamma_0, true},
    {"rope.gamma_1", "gamma_1", &ScalingKnobs::gamma_1, true},
    {"rope.ntk_factor", "ntk_factor", &ScalingKnobs::ntk_factor},
    {"rope.extrapolation_factor", "extrapolation_factor", &ScalingKnobs::extrapolation_factor},
    {"rope.mscale", "mscale", &ScalingKnobs::mscale, true},
    {"rope.mscale_all_dim", "mscale_all_dim", &ScalingKnobs::mscale_all_dim, true},
    {"rope.attention_factor", "attention_factor", &ScalingKnobs::attention_factor, true},
    {"rope.live_fraction", "live_fraction", &ScalingKnobs::live_fraction},
    {"rope.max_frequency", "max_frequency", &ScalingKnobs::max_frequency, true},
};

struct SwitchKnob {
  std::string_view key, parameter;
  bool ScalingKnobs::*value;
};
constexpr SwitchKnob kSwitches[] = {
    {"rope.truncate", "truncate", &ScalingKnobs::truncate},
    {"rope.paper_ramp", "paper_ramp", &ScalingKnobs::paper_ramp},
};

struct ListKnob {
  std::string_view key, list;
  std::string ScalingKnobs::*value;
};
constexpr ListKnob kLists[] = {
    {"rope.short_factors", "short_factors", &ScalingKnobs::short_factors},
    {"rope.long_factors", "long_factors", &ScalingKnobs::long_factors},
};

/// The parameter as the first method that has it declares it.
const ScalingParameter& declared(std::string_view name) {
  const auto methods = all_scaling_methods();
  const ScalingParameter* found = nullptr;
  for (std::size_t i = 0; !found && i < methods.size(); ++i) found = find_parameter(methods[i], name);
  return *found;
}

/// 0 stands for "the method finds a value itself" where it does.
bool has_zero(const ScalingParameter& parameter) {
  return parameter.initial == 0 && parameter.minimum > 0;
}

NumberField field_of(const NumberKnob& knob, const ScalingMethod* method) {
  const ScalingParameter& parameter = declared(knob.parameter);
  return {.key = knob.key,
          .minimum = has_zero(parameter) ? 0 : parameter.minimum,
          .maximum = parameter.maximum,
          .initial = parameter.initial,
          .logarithmic = knob.logarithmic,
          .zero = has_zero(parameter) ? "unit.by_method" : "",
          .control = method && find_parameter(*method, knob.parameter)};
}

/// Null for a name that a reader of files is about to refuse.
const ScalingMethod* method_named(const std::string& name) {
  for (const ScalingMethod& method : all_scaling_methods()) {
    if (method.name == name) return &method;
  }
  return nullptr;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const ScalingMethod& method : all_scaling_methods()) names.emplace_back(method.name);
  return names;
}

std::string list_text(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) text += (text.empty() ? "" : ",") + shortest_number(number);
  return text;
}

}  // namespace

void describe(Fields& fields, ScalingKnobs& knobs) {
  fields.group("extension");
  fields.choice({.key = "rope.scaling", .options = method_names(), .initial = "none"}, knobs.method);
  // A reader of files has filled in the method by now.
  const ScalingMethod* method = method_named(knobs.method);
  fields.number({.key = "rope.length",
                 .minimum = 0,
                 .maximum = 1e9,
                 .initial = 0,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .zero = "unit.trained",
                 .control = method && method->depends_on_length},
                knobs.length);
  for (const NumberKnob& knob : kNumbers) fields.number(field_of(knob, method), knobs.*knob.value);
  for (const SwitchKnob& knob : kSwitches) {
    fields.toggle({.key = knob.key,
                   .initial = declared(knob.parameter).initial != 0,
                   .control = method && find_parameter(*method, knob.parameter)},
                  knobs.*knob.value);
  }
  for (const ListKnob& knob : kLists) {
    fields.text({.key = knob.key, .initial = "", .control = false}, knobs.*knob.value);
  }
}

Extension extension_of(const ScalingKnobs& knobs) {
  const ScalingMethod& method = find_scaling_method(knobs.method);
  Extension extension;
  extension.method = method.name;
  for (const NumberKnob& knob : kNumbers) {
    const ScalingParameter* parameter = find_parameter(method, knob.parameter);
    const double value = knobs.*knob.value;
    if (!parameter || (value == 0 && has_zero(*parameter))) continue;
    extension.numbers[std::string(knob.parameter)] = value;
  }
  for (const SwitchKnob& knob : kSwitches) {
    if (!find_parameter(method, knob.parameter)) continue;
    extension.numbers[std::string(knob.parameter)] = knobs.*knob.value ? 1 : 0;
  }
  if (!method.uses_lists) return extension;
  for (const ListKnob& knob : kLists) {
    const std::string& text = knobs.*knob.value;
    if (text.empty()) continue;
    extension.lists[std::string(knob.list)] = parse_list(text, std::string(knob.key), kMostFactors);
  }
  return extension;
}

ScalingKnobs scaling_knobs_of(const Extension& extension) {
  const Extension complete = with_defaults(extension);
  ScalingKnobs knobs;
  knobs.method = complete.method;
  for (const NumberKnob& knob : kNumbers) {
    const auto found = complete.numbers.find(std::string(knob.parameter));
    if (found != complete.numbers.end()) knobs.*knob.value = found->second;
  }
  for (const SwitchKnob& knob : kSwitches) {
    const auto found = complete.numbers.find(std::string(knob.parameter));
    if (found != complete.numbers.end()) knobs.*knob.value = found->second != 0;
  }
  for (const ListKnob& knob : kLists) {
    const auto found = complete.lists.find(std::string(knob.list));
    if (found != complete.lists.end()) knobs.*knob.value = list_text(found->second);
  }
  return knobs;
}

}  // namespace ropescope
