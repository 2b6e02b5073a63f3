#include "app/experiment/scaling_knobs.h"

#include "app/experiment/entry_names.h"
#include "app/experiment/experiment.h"
#include "app/figure/number_text.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

struct ListKnob {
  std::string_view key, list;
  std::string ScalingKnobs::*value;
};
constexpr ListKnob kLists[] = {
    {"rope.short_factors", "short_factors", &ScalingKnobs::short_factors},
    {"rope.long_factors", "long_factors", &ScalingKnobs::long_factors},
};

constexpr std::string_view kOrder[] = {"factor",
                                       "ntk_alpha",
                                       "low_frequency_factor",
                                       "high_frequency_factor",
                                       "beta_fast",
                                       "beta_slow",
                                       "alpha",
                                       "beta",
                                       "beta_0",
                                       "beta_1",
                                       "gamma_0",
                                       "gamma_1",
                                       "ntk_factor",
                                       "extrapolation_factor",
                                       "mscale",
                                       "mscale_all_dim",
                                       "attention_factor",
                                       "live_fraction",
                                       "max_frequency",
                                       "truncate",
                                       "paper_ramp"};

/// Null for a name that a reader of files is about to refuse.
const ScalingMethod* method_named(const std::string& name) {
  for (const ScalingMethod& method : all_scaling_methods()) {
    if (method.name == name) return &method;
  }
  return nullptr;
}

std::string list_text(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) text += (text.empty() ? "" : ",") + shortest_number(number);
  return text;
}

}  // namespace

void describe(Fields& fields, ScalingKnobs& knobs) {
  fields.group("extension");
  fields.choice({.key = "rope.scaling", .options = entry_names(all_scaling_methods()), .initial = "none"},
                knobs.method);
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
  for (const ScalingParameter& parameter : in_order(all_scaling_parameters(), kOrder)) {
    describe(fields, parameter, knobs.parameters, method && find_parameter(*method, parameter.name));
  }
  for (const ListKnob& knob : kLists) {
    fields.text({.key = knob.key, .initial = "", .control = false}, knobs.*knob.value);
  }
}

Extension extension_of(const ScalingKnobs& knobs) {
  const ScalingMethod& method = find_scaling_method(knobs.method);
  Extension extension;
  extension.method = method.name;
  for (const ScalingParameter& parameter : method.parameters) {
    const double value = knobs[parameter.name];
    if (is_given(parameter, value)) extension.numbers[std::string(parameter.name)] = value;
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
  for (const ScalingParameter& parameter : find_scaling_method(knobs.method).parameters) {
    const auto found = complete.numbers.find(std::string(parameter.name));
    if (found != complete.numbers.end()) knobs.parameters.set(parameter.name, found->second);
  }
  for (const ListKnob& knob : kLists) {
    const auto found = complete.lists.find(std::string(knob.list));
    if (found != complete.lists.end()) knobs.*knob.value = list_text(found->second);
  }
  return knobs;
}

}  // namespace ropescope
