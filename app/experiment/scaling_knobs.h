#pragma once

#include <string>

#include "app/experiment/setting_fields.h"
#include "core/rotary/spec.h"
#include "core/scaling/scaling.h"

namespace ropescope {

/// The context extension: a method of core/scaling and the parameters of all of them, under the names of Extension, so
/// that a change of method keeps what both have. Its keys stand beside those of the rope: "rope.scaling",
/// "rope.factor".
struct ScalingKnobs {
  std::string method = "none";
  double length = 0;                        ///< l: current sequence length; 0: the trained length
  std::string short_factors, long_factors;  ///< "1,1.05,1.1": one number for each pair
  SettingValues parameters{all_scaling_parameters()};
  double& operator[](std::string_view parameter) { return parameters.number(parameter); }
  double operator[](std::string_view parameter) const { return parameters[parameter]; }
  bool operator==(const ScalingKnobs&) const = default;
};

/// One for each pair of the widest head.
inline constexpr std::size_t kMostFactors = 4096;

/// Group "extension": the controls that the chosen method uses.
void describe(Fields& fields, ScalingKnobs& knobs);

/// The extension of the knobs, with every parameter that the method has. Throws InputError where a list cannot be read.
Extension extension_of(const ScalingKnobs& knobs);
/// Knobs that show an extension; what its method does not have keeps its initial value.
ScalingKnobs scaling_knobs_of(const Extension& extension);

}  // namespace ropescope
