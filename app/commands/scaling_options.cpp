#include "app/commands/scaling_options.h"

#include <algorithm>
#include <cmath>

#include "app/experiment/experiment.h"
#include "app/figure/number_text.h"
#include "core/error.h"
#include "core/formats/json_reader.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

using Given = std::optional<std::string>;

struct NumberOption {
  const char* name;
  const char* placeholder;
  const char* parameter;
  Given ScalingOptions::*text;
  const char* help;
};

constexpr NumberOption kNumbers[] = {
    {"--factor", "S", "factor", &ScalingOptions::factor, "How much slower the slow pairs turn, from 1"},
    {"--beta-fast", "B", "beta_fast", &ScalingOptions::beta_fast, "yarn: turns from which a pair is kept (32)"},
    {"--beta-slow", "B", "beta_slow", &ScalingOptions::beta_slow, "yarn: turns up to which it is interpolated (1)"},
    {"--truncate", "true|false", "truncate", &ScalingOptions::truncate, "yarn: ramp between whole pairs (true)"},
    {"--paper-ramp", "true|false", "paper_ramp", &ScalingOptions::paper_ramp, "yarn: ramp in turns (false)"},
    {"--mscale", "M", "mscale", &ScalingOptions::mscale, "yarn: counts if both are above 0"},
    {"--mscale-all-dim", "M", "mscale_all_dim", &ScalingOptions::mscale_all_dim, "yarn: divides the amplitude"},
    {"--attention-factor", "A", "attention_factor", &ScalingOptions::attention_factor,
     "yarn, longrope: the amplitude (default: the method's own)"},
    {"--low-frequency-factor", "F", "low_frequency_factor", &ScalingOptions::low_frequency_factor,
     "llama3: turns below which a pair is interpolated (1)"},
    {"--high-frequency-factor", "F", "high_frequency_factor", &ScalingOptions::high_frequency_factor,
     "llama3: turns above which it is kept (4)"},
    {"--alpha", "A", "alpha", &ScalingOptions::alpha, "ntk-by-parts: turns up to which a pair is interpolated (1)"},
    {"--beta", "B", "beta", &ScalingOptions::beta, "ntk-by-parts: turns from which it is kept (32)"},
    {"--ntk-alpha", "A", "ntk_alpha", &ScalingOptions::ntk_alpha, "ntk-alpha: Hunyuan's fixed alpha"},
    {"--beta-0", "B", "beta_0", &ScalingOptions::beta_0, "ntk-by-parts-released (1.25)"},
    {"--beta-1", "B", "beta_1", &ScalingOptions::beta_1, "ntk-by-parts-released (0.75)"},
    {"--gamma-0", "G", "gamma_0", &ScalingOptions::gamma_0, "ntk-by-parts-released (16)"},
    {"--gamma-1", "G", "gamma_1", &ScalingOptions::gamma_1, "ntk-by-parts-released (2)"},
    {"--ntk-factor", "P", "ntk_factor", &ScalingOptions::ntk_factor, "ntk-by-parts-released: part of NTK (1)"},
    {"--extrapolation-factor", "P", "extrapolation_factor", &ScalingOptions::extrapolation_factor,
     "ntk-by-parts-released: part that fast pairs keep (1)"},
    {"--live-fraction", "R", "live_fraction", &ScalingOptions::live_fraction, "proportional: part that turns (1)"},
    {"--max-frequency", "F", "max_frequency", &ScalingOptions::max_frequency, "pixel: frequencies up to π·F/2 (10)"},
};

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

std::string method_list() {
  std::string names;
  for (const ScalingMethod& method : all_scaling_methods()) {
    names += (names.empty() ? "" : ", ") + std::string(method.name);
  }
  return names;
}

double read_number(const NumberOption& option, const std::string& text, const ScalingParameter& parameter) {
  if (parameter.is_switch) {
    if (text == "true") return 1;
    if (text == "false") return 0;
    reject(option.name, text, "true or false");
  }
  const std::optional<double> value = parse_number(text);
  if (!value || *value < parameter.minimum || *value > parameter.maximum) {
    reject(option.name, text,
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
  if (options.ntk_alpha && name == "dynamic") name = "ntk-alpha";
  try {
    return find_scaling_method(name);
  } catch (const InputError&) {
    reject("--scaling", name, "one of " + method_list());
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
  arguments.option("--scaling", "NAME", options.scaling, "Context extension: " + method_list());
  arguments.option("--trained-length", "L", options.trained_length, "Positions that the model was trained with");
  arguments.option("--length", "l", options.length, "Current length, for methods that look at it (default: L)");
  for (const NumberOption& option : kNumbers) {
    arguments.option(option.name, option.placeholder, options.*option.text, option.help);
  }
  for (const ListOption& option : kLists) arguments.option(option.name, "LIST", options.*option.text, option.help);
}

bool changes_anything(const ScalingOptions& options) {
  const auto given = [&](const auto& option) { return (options.*option.text).has_value(); };
  return options.scaling || options.trained_length || options.length ||
         std::any_of(std::begin(kNumbers), std::end(kNumbers), given) ||
         std::any_of(std::begin(kLists), std::end(kLists), given);
}

void override_scaling(const ScalingOptions& options, RotarySpec& spec) {
  if (options.trained_length) spec.trained_length = read_positions("--trained-length", *options.trained_length);
  const ScalingMethod& method = chosen_method(options, spec.extension.method);
  if (method.name != spec.extension.method) spec.extension = carried_over(spec.extension, method);
  for (const NumberOption& option : kNumbers) {
    const Given& text = options.*option.text;
    const ScalingParameter* parameter = find_parameter(method, option.parameter);
    if (text) {
      require_belongs(parameter, option.name, method);
      spec.extension.numbers[option.parameter] = read_number(option, *text, *parameter);
    } else if (parameter && parameter->required && options.scaling && parameter->name != "factor" &&
               parameter->name != "ntk_alpha") {
      // The knobs have usual values for these; only how far to go must be said.
      spec.extension.numbers.emplace(option.parameter, parameter->initial);
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
