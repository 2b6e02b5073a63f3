#pragma once

#include <string>

#include "app/experiment/fields.h"
#include "core/rotary/spec.h"

namespace ropescope {

/// The context extension: a method of core/scaling and the parameters of all of them, under the names of Extension, so
/// that a change of method keeps what both have. Its keys stand beside those of the rope: "rope.scaling",
/// "rope.factor".
struct ScalingKnobs {
  std::string method = "none";
  double factor = 4;
  double length = 0;  ///< l: current sequence length; 0: the trained length
  double beta_fast = 32, beta_slow = 1;
  bool truncate = true, paper_ramp = false;
  double mscale = 0, mscale_all_dim = 0;
  double attention_factor = 0;  ///< 0: the method's own amplitude
  double low_frequency_factor = 1, high_frequency_factor = 4;
  std::string short_factors, long_factors;  ///< "1,1.05,1.1": one number for each pair
  double alpha = 1, beta = 32;
  double beta_0 = 1.25, beta_1 = 0.75, gamma_0 = 16, gamma_1 = 2, ntk_factor = 1, extrapolation_factor = 1;
  double ntk_alpha = 1000;
  double live_fraction = 1;
  double max_frequency = 10;
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
