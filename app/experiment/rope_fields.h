// The fields of ropes, extensions, encodings, layouts and small views.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/fields.h"
#include "core/rotary/spec.h"
#include "core/scaling/scaling.h"

namespace ropescope {

/// Every list that a method declares, without numbers. The declarations are constants: their names stay.
std::map<std::string_view, std::string> empty_scaling_lists();

/// The context extension: a method of core/scaling and the parameters of all of them, under the names of Extension, so
/// that a change of method keeps what both have. Its keys stand beside those of the rope: "rope.scaling",
/// "rope.factor".
struct ScalingKnobs {
  std::string method = "none";
  double length = 0;  ///< l: current sequence length; 0: what is asked or shown, see give_length()
  /// "1,1.05,1.1": one number for each pair, under the lists' names in Extension; all are there.
  std::map<std::string_view, std::string> lists = empty_scaling_lists();
  SettingValues parameters{all_scaling_parameters()};
  double& operator[](std::string_view parameter) { return parameters.number(parameter); }
  double operator[](std::string_view parameter) const { return parameters[parameter]; }
  bool operator==(const ScalingKnobs&) const = default;
};

/// How parameters stand in controls, in files and in --help; one that is not named here follows as declared.
inline constexpr std::string_view kScalingOrder[] = {"factor",
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

std::vector<ScalingParameter> scaling_parameters_in_order();

/// One for each pair of the widest head.
inline constexpr std::size_t kMostFactors = 4096;

/// Group "extension": the controls that the chosen method uses.
void describe(Fields& fields, ScalingKnobs& knobs);

/// The extension of the knobs, with every parameter that the method has. Throws InputError where a list cannot be read.
Extension extension_of(const ScalingKnobs& knobs);
/// Knobs that show an extension; what its method does not have keeps its initial value.
ScalingKnobs scaling_knobs_of(const Extension& extension);

}  // namespace ropescope
