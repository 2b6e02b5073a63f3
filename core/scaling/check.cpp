#include "core/error.h"
#include "core/scaling/parts.h"

namespace ropescope {

namespace {

/// Longer contexts than this are typing errors.
constexpr double kLargestLength = 1e12;

void check_numbers_scaling_check(const ScalingMethod& method, const Extension& extension) {
  for (const auto& [name, value] : extension.numbers) {
    const ScalingParameter* parameter = find_parameter(method, name);
    if (!parameter) {
      if (method.parameters.empty()) {
        throw InputError("scaling.no_parameters", {{"method", method.name}, {"name", name}});
      }
      Words::List known;
      for (const ScalingParameter& one : method.parameters) known.push_back(as_it_is(one.name));
      throw InputError("scaling.no_parameter", {{"method", method.name}, {"name", name}, {"known", known}});
    }
    if (!is_valid(*parameter, value)) reject_parameter(method, name, value, expected_of(*parameter));
  }
  for (const ScalingParameter& parameter : method.parameters) {
    if (parameter.required && !extension.numbers.count(std::string(parameter.name))) {
      throw InputError(method.name, "scaling.missing",
                       {{"parameter", parameter.name}, {"expected", expected_of(parameter)}});
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
                     Words("scaling.list_of", {{"least", list.minimum}, {"most", list.maximum}}));
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

void check_length_scaling_check(const ScalingMethod& method, const char* name, double length) {
  if (length > 0 && length <= kLargestLength) return;
  reject_parameter(method, name, length, Words("scaling.positions"));
}

void check_lengths(const ScalingMethod& method, const ScalingInput& input) {
  if (input.length) check_length_scaling_check(method, "length", *input.length);
  if (!method.needs_trained_length) return;
  if (!input.trained_length) {
    throw InputError(method.name, "scaling.missing",
                     {{"parameter", "trained_length"}, {"expected", Words("scaling.positions")}});
  }
  check_length_scaling_check(method, "trained_length", *input.trained_length);
}

}  // namespace

void reject_parameter(const ScalingMethod& method, std::string_view parameter, double found, const Words& expected) {
  throw InputError(method.name, "scaling.value", {{"parameter", parameter}, {"found", found}, {"expected", expected}});
}

void require_order(const ScalingMethod& method, const Extension& extension, std::string_view lower,
                   std::string_view upper) {
  const auto value = [&](std::string_view name) {
    const auto found = extension.numbers.find(std::string(name));
    return found == extension.numbers.end() ? find_parameter(method, name)->initial : found->second;
  };
  if (value(lower) <= value(upper)) return;
  reject_parameter(method, upper, value(upper), Words("scaling.at_least", {{"lower", lower}, {"value", value(lower)}}));
}

void check_scaling(const ScalingInput& input) {
  const ScalingMethod& method = find_scaling_method(input.extension.method);
  check_numbers_scaling_check(method, input.extension);
  check_lists(method, input);
  check_lengths(method, input);
  if (method.check) method.check(method, input);
}

}  // namespace ropescope
