#include "app/commands/scaling_options.h"

#include <algorithm>
#include <cmath>

#include "app/experiment/entry_names.h"
#include "app/experiment/experiment.h"
#include "app/figure/number_text.h"
#include "core/error.h"
#include "core/formats/json_reader.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

using Given = std::optional<std::string>;

// yarn's first, as they stand in --help.
constexpr std::string_view kOrder[] = {"factor",
                                       "beta_fast",
                                       "beta_slow",
                                       "truncate",
                                       "paper_ramp",
                                       "mscale",
                                       "mscale_all_dim",
                                       "attention_factor",
                                       "low_frequency_factor",
                                       "high_frequency_factor",
                                       "alpha",
                                       "beta",
                                       "ntk_alpha",
                                       "beta_0",
                                       "beta_1",
                                       "gamma_0",
                                       "gamma_1",
                                       "ntk_factor",
                                       "extrapolation_factor",
                                       "live_fraction",
                                       "max_frequency"};

struct ListOption {
  const char* name;
  const char* list;
  Given ScalingOptions::*text;
  const char* help;
};
constexpr ListOption kLists[] = {
    {"--short-factors", "short_factors", &ScalingOptions::short_factors, "longrope: divisors up to the trained length"},
    {"--long-factors", "long_factors", &ScalingOptions::long_factors, "longrope: divisors beyond it"},
};

std::string methods_with(const ScalingParameter& parameter) {
  return joined(entry_names(all_scaling_methods(),
                            [&](const ScalingMethod& method) { return find_parameter(method, parameter.name); }));
}

double read_number(const std::string& text, const ScalingParameter& parameter) {
  if (parameter.is_switch) return read_switch(option_name(parameter), text);
  const std::optional<double> value = parse_number(text);
  if (!value || !is_valid(parameter, *value)) {
    reject(option_name(parameter), text,
           "a number from " + shortest_number(parameter.minimum) + " to " + shortest_number(parameter.maximum));
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
  if (method.uses_lists) kept.lists = extension.lists;
  return kept;
}

}  // namespace

void add_scaling_options(Arguments& arguments, ScalingOptions& options) {
  arguments.option("--scaling", "NAME", options.scaling,
                   "Context extension: " + joined(entry_names(all_scaling_methods())));
  arguments.option("--trained-length", "L", options.trained_length, "Positions that the model was trained with");
  arguments.option("--length", "l", options.length, "Current length, for methods that look at it (default: L)");
  for (const ScalingParameter& parameter : in_order(all_scaling_parameters(), kOrder)) {
    add_option(arguments, parameter, methods_with(parameter), options.parameters);
  }
  for (const ListOption& option : kLists) arguments.option(option.name, "LIST", options.*option.text, option.help);
}

bool changes_anything(const ScalingOptions& options) {
  const auto given = [&](const auto& option) { return (options.*option.text).has_value(); };
  return options.scaling || options.trained_length || options.length || options.parameters.any() ||
         std::any_of(std::begin(kLists), std::end(kLists), given);
}

void override_scaling(const ScalingOptions& options, RotarySpec& spec) {
  if (options.trained_length) spec.trained_length = read_positions("--trained-length", *options.trained_length);
  const ScalingMethod& method = chosen_method(options, spec.extension.method);
  if (method.name != spec.extension.method) spec.extension = carried_over(spec.extension, method);
  for (const ScalingParameter& declared : in_order(all_scaling_parameters(), kOrder)) {
    const ScalingParameter* parameter = find_parameter(method, declared.name);
    const std::string name(declared.name);
    if (const std::string* text = options.parameters.find(name)) {
      require_belongs(parameter, option_name(declared), method);
      spec.extension.numbers[name] = read_number(*text, *parameter);
    } else if (parameter && parameter->required && options.scaling && name != "factor" && name != "ntk_alpha") {
      // The knobs have usual values for these; only how far to go must be said.
      spec.extension.numbers.emplace(name, parameter->initial);
    }
  }
  for (const ListOption& option : kLists) {
    const Given& text = options.*option.text;
    if (!text) continue;
    require_belongs(method.uses_lists, option.name, method);
    spec.extension.lists[option.list] = parse_list(*text, option.name, kMostFactors);
  }
}

std::optional<double> read_length(const ScalingOptions& options) {
  if (!options.length) return std::nullopt;
  return read_positions("--length", *options.length);
}

}  // namespace ropescope
