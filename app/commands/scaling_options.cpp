#include "app/commands/scaling_options.h"

#include <cmath>

#include "app/experiment/entry_names.h"
#include "app/experiment/experiment.h"
#include "app/resources/text.h"
#include "core/error.h"
#include "core/formats/json_reader.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

std::string methods_with(const ScalingParameter& parameter) {
  return joined(entry_names(all_scaling_methods(),
                            [&](const ScalingMethod& method) { return find_parameter(method, parameter.name); }));
}

std::string methods_with_list(const ScalingList& list) {
  return joined(
      entry_names(all_scaling_methods(), [&](const ScalingMethod& method) { return find_list(method, list.name); }));
}

double read_number_scaling_options(const std::string& text, const ScalingParameter& parameter) {
  if (parameter.is_switch) return read_switch(option_name(parameter), text);
  const std::optional<double> value = parse_number(text);
  if (!value || !is_valid(parameter, *value)) {
    reject(option_name(parameter), text, said_in_english(expected_of(parameter)));
  }
  return *value;
}

double read_positions(const std::string& option, const std::string& text) {
  constexpr double kLargestLength = 1e9;
  const std::optional<double> value = parse_number(text);
  if (!value || *value < 1 || *value > kLargestLength || *value != std::floor(*value)) {
    reject(option, text, "a whole number of positions from 1 to 1e+09");
  }
  return *value;
}

void require_belongs(bool belongs, const std::string& option, const ScalingMethod& method) {
  if (belongs) return;
  throw InputError(option + " is given, but the method is " + std::string(method.name) +
                   ", which has no such parameter; --scaling with a method that has it was expected");
}

/// The method that the options ask for; an alpha makes dynamic Hunyuan's, as it does in a config.
const ScalingMethod& chosen_method(const ScalingOptions& options, const std::string& current) {
  std::string name = options.scaling.value_or(current);
  if (options.parameters.find("ntk_alpha") && name == "dynamic") name = "ntk-alpha";
  try {
    return find_scaling_method(name);
  } catch (const InputError&) {
    reject("--scaling", name, "one of " + joined(entry_names(all_scaling_methods())));
  }
}

/// What stays of an extension under another method.
Extension carried_over(const Extension& extension, const ScalingMethod& method) {
  Extension kept;
  kept.method = method.name;
  for (const auto& [name, value] : extension.numbers) {
    if (find_parameter(method, name)) kept.numbers[name] = value;
  }
  for (const auto& [name, numbers] : extension.lists) {
    if (find_list(method, name)) kept.lists[name] = numbers;
  }
  return kept;
}

}  // namespace

void add_scaling_options(Arguments& arguments, ScalingOptions& options) {
  arguments.option("--trained-length", "L", options.trained_length, "Positions that the model was trained with");
  add_extension_options(arguments, options);
}

void add_extension_options(Arguments& arguments, ScalingOptions& options) {
  arguments.option("--scaling", "NAME", options.scaling,
                   "Context extension: " + joined(entry_names(all_scaling_methods())));
  arguments.option("--length", "l", options.length,
                   "Current length, for methods that look at it (default: what is asked)");
  for (const ScalingParameter& parameter : scaling_parameters_in_order()) {
    add_option(arguments, parameter, methods_with(parameter), options.parameters);
  }
  for (const ScalingList& list : all_scaling_lists()) {
    add_option(arguments, list, methods_with_list(list), options.parameters);
  }
}

bool changes_anything(const ScalingOptions& options) {
  return options.scaling || options.trained_length || options.length || options.parameters.any();
}

void override_scaling(const ScalingOptions& options, RotarySpec& spec) {
  if (options.trained_length) spec.trained_length = read_positions("--trained-length", *options.trained_length);
  const ScalingMethod& method = chosen_method(options, spec.extension.method);
  if (method.name != spec.extension.method) spec.extension = carried_over(spec.extension, method);
  for (const ScalingParameter& declared : scaling_parameters_in_order()) {
    const ScalingParameter* parameter = find_parameter(method, declared.name);
    const std::string name(declared.name);
    if (const std::string* text = options.parameters.find(name)) {
      require_belongs(parameter, option_name(declared), method);
      spec.extension.numbers[name] = read_number_scaling_options(*text, *parameter);
    } else if (parameter && parameter->required && !parameter->says_how_far && options.scaling) {
      // The knobs have usual values for these; only how far to go must be said.
      spec.extension.numbers.emplace(name, parameter->initial);
    }
  }
  for (const ScalingList& list : all_scaling_lists()) {
    const std::string* text = options.parameters.find(list.name);
    if (!text) continue;
    require_belongs(find_list(method, list.name), option_name(list), method);
    spec.extension.lists[std::string(list.name)] = parse_list(*text, option_name(list), kMostFactors);
  }
}

std::optional<double> read_length(const ScalingOptions& options) {
  if (!options.length) return std::nullopt;
  return read_positions("--length", *options.length);
}

}  // namespace ropescope
