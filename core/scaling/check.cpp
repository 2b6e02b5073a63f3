#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/scaling/parts.h"

namespace ropescope {

namespace {

/// Longer contexts than this are typing errors.
constexpr double kLargestLength = 1e12;

std::string text_of(double value) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end};
}

std::string expectation(const ScalingParameter& parameter) {
  if (parameter.is_switch) return "0 or 1";
  return "a number from " + text_of(parameter.minimum) + " to " + text_of(parameter.maximum);
}

void check_numbers(const ScalingMethod& method, const Extension& extension) {
  for (const auto& [name, value] : extension.numbers) {
    const ScalingParameter* parameter = find_parameter(method, name);
    if (!parameter) {
      std::string known;
      for (const ScalingParameter& one : method.parameters) {
        known += (known.empty() ? "" : ", ") + std::string(one.name);
      }
      throw InputError(std::string(method.name) + " has no parameter \"" + name + "\"; " +
                       (known.empty() ? "none" : "one of " + known) + " was expected");
    }
    const bool fits =
        parameter->is_switch ? value == 0 || value == 1 : value >= parameter->minimum && value <= parameter->maximum;
    if (!fits) reject_parameter(method, name, value, expectation(*parameter));
  }
  for (const ScalingParameter& parameter : method.parameters) {
    if (parameter.required && !extension.numbers.count(std::string(parameter.name))) {
      throw InputError(std::string(method.name) + ": " + std::string(parameter.name) + " is missing; " +
                       expectation(parameter) + " was expected");
    }
  }
}

void check_list(const ScalingMethod& method, const Extension& extension, const std::string& name, int pairs) {
  const std::string expected = "one number above 0 for each of the " + std::to_string(pairs) + " pairs was expected";
  const auto found = extension.lists.find(name);
  if (found == extension.lists.end()) {
    throw InputError(std::string(method.name) + ": " + name + " is missing; " + expected);
  }
  if (found->second.size() != static_cast<std::size_t>(pairs)) {
    throw InputError(std::string(method.name) + ": " + name + " has " + std::to_string(found->second.size()) +
                     " numbers; " + expected);
  }
  for (const double factor : found->second) {
    if (!(factor >= kSmallest && factor <= kLargestFactor)) {
      reject_parameter(method, name, factor,
                       "a list of numbers from " + text_of(kSmallest) + " to " + text_of(kLargestFactor));
    }
  }
}

void check_lists(const ScalingMethod& method, const ScalingInput& input) {
  for (const auto& [name, list] : input.extension.lists) {
    if (method.uses_lists && (name == "short_factors" || name == "long_factors")) continue;
    throw InputError(std::string(method.name) + " has no list \"" + name + "\"; " +
                     (method.uses_lists ? "short_factors and long_factors were" : "none was") + " expected");
  }
  if (!method.uses_lists) return;
  check_list(method, input.extension, "short_factors", input.axis.rotary_dim / 2);
  check_list(method, input.extension, "long_factors", input.axis.rotary_dim / 2);
}

void check_length(const ScalingMethod& method, const char* name, double length) {
  if (length > 0 && length <= kLargestLength) return;
  throw InputError(std::string(method.name) + ": " + name + " is " + text_of(length) +
                   "; a number of positions above 0 was expected");
}

void check_lengths(const ScalingMethod& method, const ScalingInput& input) {
  if (input.length) check_length(method, "length", *input.length);
  if (!method.needs_trained_length) return;
  if (!input.trained_length) {
    throw InputError(std::string(method.name) +
                     ": trained_length is missing; a number of positions above 0 was expected");
  }
  check_length(method, "trained_length", *input.trained_length);
}

}  // namespace

void reject_parameter(const ScalingMethod& method, std::string_view parameter, double found,
                      const std::string& expected) {
  throw InputError(std::string(method.name) + ": " + std::string(parameter) + " is " + text_of(found) + "; " +
                   expected + " was expected");
}

void require_order(const ScalingMethod& method, const Extension& extension, std::string_view lower,
                   std::string_view upper) {
  const auto value = [&](std::string_view name) {
    const auto found = extension.numbers.find(std::string(name));
    return found == extension.numbers.end() ? find_parameter(method, name)->initial : found->second;
  };
  if (value(lower) <= value(upper)) return;
  reject_parameter(method, upper, value(upper),
                   "at least " + std::string(lower) + ", which is " + text_of(value(lower)) + ",");
}

void check_scaling(const ScalingInput& input) {
  const ScalingMethod& method = find_scaling_method(input.extension.method);
  check_numbers(method, input.extension);
  check_lists(method, input);
  check_lengths(method, input);
  if (method.check) method.check(method, input);
}

}  // namespace ropescope
