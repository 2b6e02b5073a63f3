// What a rotary embedding is: its axes, pairs, bases and which channels make a pair; its plain frequencies θ_i =
// b^(−2i/d). Begin reading core here; rotation.h follows.
#pragma once

#include <Eigen/Core>
#include <map>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ropescope {

/// A whole turn, in radians.
inline constexpr double kTurn = 2 * std::numbers::pi;

// --- The rope ------------------------------------------------------------------------------------------------------

/// The most channels of a head, and of one axis.
inline constexpr int kLargestDimension = 8192;

/// Which two channels of the rotary part form pair i (n pairs): interleaved (2i, 2i+1), half split (i, i+n).
enum class Pairing { interleaved, half_split };

/// How the frequencies of an axis run over its pairs.
/// plain: θ_i = b^(−2i/d).
/// proportional (Gemma 4): the ladder runs over the whole head, θ_i = b^(−2i/head_dim) for
/// i < int(fraction·head_dim // 2) and 0 after that; everything divided by `factor`.
/// Source: Hugging Face transformers `proportional`.
/// given: the numbers of `frequencies`, whatever d and b; core/formats/ladder_text.h reads them of a text.
enum class Ladder { plain, proportional, given };

/// One position axis and the ladder of frequencies over *its* channels (text has one axis, called "position").
struct RotaryAxis {
  std::string name = "position";
  int rotary_dim = 128;  ///< d, even: channels that this axis owns; it has d/2 pairs
  double base = 10000;   ///< b > 1
  Ladder ladder = Ladder::plain;
  double live_fraction = 1;              ///< proportional ladder only: part of the pairs that turn
  double factor = 1;                     ///< proportional ladder only: all frequencies are divided by it
  std::vector<double> frequencies = {};  ///< given ladder only: radians per position, one for each pair
  bool operator==(const RotaryAxis&) const = default;
};

/// The context extension a config asks for, as read (method "none": plain). Parameters carry the
/// methods' own names: factor, low_frequency_factor, high_frequency_factor, beta_fast, beta_slow, mscale,
/// mscale_all_dim, attention_factor, truncate (0 or 1), ntk_alpha; lists: short_factors, long_factors (one number per
/// pair).
struct Extension {
  std::string method = "none";
  std::map<std::string, double> numbers;
  std::map<std::string, std::vector<double>> lists;
  bool operator==(const Extension&) const = default;
  /// A number that is given.
  std::optional<double> number(std::string_view name) const;
};

/// Everything that fixes a model's rotary position embedding. The pairs of the axes follow each other in the order of
/// `axes`; channels past Σ rotary_dim (up to head_dim) are not rotated.
struct RotarySpec {
  int head_dim = 128;
  Pairing pairing = Pairing::half_split;
  std::vector<RotaryAxis> axes = {RotaryAxis{}};
  std::optional<double> trained_length;  ///< L in positions; none where the model has no such limit
  Extension extension;
  double amplitude = 1;  ///< cos and sin are multiplied by it (attention factor)
  bool operator==(const RotarySpec&) const = default;
};

/// Σ rotary_dim over the axes: the number of rotated channels of a head.
int total_rotary_dim(const RotarySpec& spec);

/// Throws InputError that names the field where a dimension is odd, zero, above kLargestDimension or larger than the
/// head, a base is not a finite number > 1, a live fraction is outside (0, 1], a given ladder has another number of
/// frequencies than pairs or one that is not finite and at least 0, the trained length is not a positive finite number,
/// or there is no axis. "Throws" is the only way it answers: a spec that passes can be computed with.
void validate(const RotarySpec& spec);

// --- Its plain frequencies -----------------------------------------------------------------------------------------

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
