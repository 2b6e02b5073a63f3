// Checks of extensions, scaled ladders, and the registry of methods. Read scaling.h first.
//
// Contents: Checks; Ladders of a rope; Registry.

#include "core/scaling/scaling.h"

#include <algorithm>

#include "core/message.h"
#include "core/registry.h"
#include "core/scaling/methods.h"

namespace ropescope {

// --- Checks --------------------------------------------------------------------------------------------------------

namespace {

/// Maximum length; a longer context is a typing error.
constexpr double kLargestLength = 1e12;

void check_given_numbers(const ScalingMethod& method, const Extension& extension) {
  for (const auto& [name, value] : extension.numbers) {
    const ScalingField* parameter = find_parameter(method, name);
    if (!parameter) {
      if (method.parameters.empty()) {
        throw InputError("scaling.no_parameters", {{"method", method.name}, {"name", name}});
      }
      throw InputError("scaling.no_parameter",
                       {{"method", method.name}, {"name", name}, {"known", known_names(method.parameters)}});
    }
    if (!is_valid(*parameter, value)) reject_parameter(method, name, value, describe_valid_values(*parameter));
  }
  for (const ScalingField& parameter : method.parameters) {
    if (parameter.required && !extension.numbers.count(std::string(parameter.name))) {
      throw InputError(method.name, "scaling.missing",
                       {{"parameter", parameter.name}, {"expected", describe_valid_values(parameter)}});
    }
  }
}

void check_list(const ScalingMethod& method, const Extension& extension, const ScalingList& list, int pairs) {
  const auto found = extension.lists.find(std::string(list.name));
  if (found == extension.lists.end()) {
    throw InputError(method.name, "scaling.list_missing", {{"name", list.name}, {"pairs", pairs}});
  }
  if (found->second.size() != static_cast<std::size_t>(pairs)) {
    throw InputError(method.name, "scaling.list_size",
                     {{"name", list.name}, {"count", found->second.size()}, {"pairs", pairs}});
  }
  for (const double number : found->second) {
    if (is_valid(list, number)) continue;
    reject_parameter(method, list.name, number,
                     Message("scaling.list_of", {{"least", list.minimum}, {"most", list.maximum}}));
  }
}

void check_lists(const ScalingMethod& method, const ScalingInput& input) {
  for (const auto& [name, numbers] : input.extension.lists) {
    if (find_list(method, name)) continue;
    throw InputError(method.lists.empty() ? "scaling.no_lists" : "scaling.no_such_list",
                     {{"method", method.name}, {"name", name}});
  }
  for (const ScalingList& list : method.lists) check_list(method, input.extension, list, input.axis.rotary_dim / 2);
}

void require_valid_length(const ScalingMethod& method, const char* name, double length) {
  if (length > 0 && length <= kLargestLength) return;
  reject_parameter(method, name, length, Message("scaling.positions"));
}

void check_lengths(const ScalingMethod& method, const ScalingInput& input) {
  if (input.length) require_valid_length(method, "length", *input.length);
  if (!method.needs_trained_length) return;
  if (!input.trained_length) {
    throw InputError(method.name, "scaling.missing",
                     {{"parameter", "trained_length"}, {"expected", Message("scaling.positions")}});
  }
  require_valid_length(method, "trained_length", *input.trained_length);
}

std::vector<std::string> methods_of_any_ladder() {
  std::vector<std::string> names;
  for (const ScalingMethod& method : all_scaling_methods()) {
    if (method.uses_only_frequencies) names.emplace_back(method.name);
  }
  return names;
}

/// Checks method, parameters, lists and lengths of one axis.
void check_scaling(const ScalingInput& input) {
  const ScalingMethod& method = find_scaling_method(input.extension.method);
  if (input.axis.ladder == Ladder::given && !method.uses_only_frequencies) {
    throw InputError("scaling.given_ladder", {{"method", method.name}, {"known", joined(methods_of_any_ladder())}});
  }
  check_given_numbers(method, input.extension);
  check_lists(method, input);
  check_lengths(method, input);
  const ScalingRamp& ramp = method.ramp;
  if (ramp.along != ScalingRamp::Along::nothing) require_order(method, input.extension, ramp.slow, ramp.fast);
  if (method.check) method.check(method, input);
}

// --- Ladders of a rope ---------------------------------------------------------------------------------------------

ScalingInput input_of(const RotarySpec& spec, std::size_t axis, std::optional<double> length) {
  return {spec.axes.at(axis), spec.extension, spec.trained_length, length};
}

}  // namespace

double parameter_or_default(const Extension& extension, std::string_view name) {
  if (const auto given = extension.number(name)) return *given;
  const ScalingField* parameter = find_parameter(find_scaling_method(extension.method), name);
  return parameter == nullptr ? 0 : parameter->initial;
}

Extension fill_defaults(Extension extension) {
  for (const ScalingField& parameter : find_scaling_method(extension.method).parameters) {
    const bool stands_in = is_valid(parameter, parameter.initial);
    if (stands_in && !parameter.required) extension.numbers.emplace(parameter.name, parameter.initial);
  }
  return extension;
}

void check_extension(const RotarySpec& spec, std::optional<double> length) {
  for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) check_scaling(input_of(spec, axis, length));
}

ScaledLadder scaled_ladder(const RotarySpec& spec, std::size_t axis, std::optional<double> length) {
  const ScalingInput input = input_of(spec, axis, length);
  check_scaling(input);
  ScaledLadder ladder = find_scaling_method(spec.extension.method).compute(input);
  ladder.amplitude *= spec.amplitude;
  return ladder;
}

HeadLadder head_ladder(const RotarySpec& spec, std::optional<double> length) {
  validate(spec);
  HeadLadder head{Eigen::VectorXd(total_rotary_dim(spec) / 2), spec.amplitude};
  Eigen::Index begin = 0;
  for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) {
    const ScaledLadder ladder = scaled_ladder(spec, axis, length);
    head.frequencies.segment(begin, ladder.frequencies.size()) = ladder.frequencies;
    head.amplitude = ladder.amplitude;  // depends on factor and lengths only: the same for every axis
    begin += ladder.frequencies.size();
  }
  return head;
}

// --- Registry ------------------------------------------------------------------------------------------------------

extern const std::span<const ScalingMethod> kScalingMethods;

std::span<const ScalingMethod> all_scaling_methods() {
  return kScalingMethods;
}

const ScalingMethod& find_scaling_method(std::string_view name) {
  return required_entry(all_scaling_methods(), name, "scaling.unknown");
}

std::vector<ScalingField> all_scaling_fields() {
  static const auto all = collect_fields<ScalingField>(all_scaling_methods(), &ScalingMethod::parameters);
  return all;
}

const ScalingField* find_parameter(const ScalingMethod& method, std::string_view name) {
  return find_named_entry(method.parameters, name);
}

std::vector<ScalingList> all_scaling_lists() {
  static const auto all = collect_fields<ScalingList>(all_scaling_methods(), &ScalingMethod::lists);
  return all;
}

const ScalingList* find_list(const ScalingMethod& method, std::string_view name) {
  return find_named_entry(method.lists, name);
}

}  // namespace ropescope
