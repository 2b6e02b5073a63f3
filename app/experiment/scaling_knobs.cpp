#include "app/experiment/scaling_knobs.h"

#include "app/experiment/entry_names.h"
#include "app/experiment/experiment.h"
#include "app/figure/number_text.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

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

std::map<std::string_view, std::string> empty_scaling_lists() {
  std::map<std::string_view, std::string> lists;
  for (const ScalingList& list : all_scaling_lists()) lists[list.name];
  return lists;
}

std::vector<ScalingParameter> scaling_parameters_in_order() {
  static const std::vector<ScalingParameter> ordered = in_order(all_scaling_parameters(), kScalingOrder);
  return ordered;
}

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
                 .zero = "unit.as_shown",
                 .control = method && method->depends_on_length},
                knobs.length);
  for (const ScalingParameter& parameter : scaling_parameters_in_order()) {
    describe(fields, parameter, knobs.parameters, method && find_parameter(*method, parameter.name));
  }
  for (const ScalingList& list : all_scaling_lists()) {
    fields.text({.key = list.key, .initial = "", .control = method && find_list(*method, list.name)},
                knobs.lists.at(list.name));
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
  for (const ScalingList& list : method.lists) {
    const std::string& text = knobs.lists.at(list.name);
    if (text.empty()) continue;
    extension.lists[std::string(list.name)] = parse_list(text, std::string(list.key), kMostFactors);
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
  for (auto& [name, text] : knobs.lists) {
    const auto found = complete.lists.find(std::string(name));
    if (found != complete.lists.end()) text = list_text(found->second);
  }
  return knobs;
}

}  // namespace ropescope
