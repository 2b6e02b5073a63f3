#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "core/rotary/spec.h"

namespace ropescope {

/// θ_i = b^(−2i/d) for i = 0 … d/2 − 1, radians per position (RoFormer, arXiv 2104.09864, section 3.2.2).
/// Each is correct to about one unit in the last place. Throws InputError unless d is even in 2…8192 and b finite > 1.
Eigen::VectorXd plain_frequencies(int rotary_dim, double base);

/// Gemma 4's ladder: θ_i = b^(−2i/head_dim)/factor for i < int(live_fraction·head_dim // 2), then zeros; head_dim/2
/// entries. Source: Hugging Face transformers `_compute_proportional_rope_parameters`.
Eigen::VectorXd proportional_frequencies(int head_dim, double base, double live_fraction, double factor);

/// The frequencies of one axis, by its ladder.
Eigen::VectorXd axis_frequencies(const RotaryAxis& axis);

/// λ = 2π/θ, positions per turn; infinity for a still pair (θ = 0).
double wavelength(double frequency);

}  // namespace ropescope
