#pragma once

#include "core/scaling/scaling.h"
#include "specs.h"

namespace ropescope {

/// The parameter that says how far a method goes, where it has one.
inline std::string strength_of(const ScalingMethod& method) {
  for (const ScalingField& parameter : method.parameters) {
    if (parameter.is_extension_factor) return std::string(parameter.name);
  }
  return {};
}

/// A spec of one axis under a method, with lists where it wants some.
inline RotarySpec extended(const ScalingMethod& method, int dim, double base, double strength) {
  RotarySpec spec = make_spec(dim, Pairing::half_split, {{.rotary_dim = dim, .base = base}});
  spec.trained_length = 4096;
  spec.extension.method = method.name;
  for (const ScalingField& parameter : method.parameters) {
    if (parameter.required) spec.extension.numbers[std::string(parameter.name)] = parameter.initial;
  }
  if (const std::string name = strength_of(method); !name.empty()) spec.extension.numbers[name] = strength;
  if (!method.lists.empty()) {
    for (int pair = 0; pair < dim / 2; ++pair) {
      spec.extension.lists["short_factors"].push_back(1);
      spec.extension.lists["long_factors"].push_back(1 + (strength - 1) * 2 * pair / dim);
    }
  }
  return spec;
}

}  // namespace ropescope
