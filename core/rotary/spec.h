// Specification of a rotary embedding: its axes, bases, ladders and pairing, and the plain frequencies θ_i =
// b^(−2i/d). Start reading core here; continue with rotation.h.
#pragma once

#include <Eigen/Core>
#include <map>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ropescope {

/// A full turn, 2π, in radians.
inline constexpr double kTurn = 2 * std::numbers::pi;

// --- The rope ------------------------------------------------------------------------------------------------------

/// The maximum number of channels of a head, and of a single axis.
inline constexpr int kLargestDimension = 8192;

/// The two channels of the rotary part that form pair i of n: interleaved (2i, 2i+1) or half split (i, i+n).
enum class Pairing { interleaved, half_split };

/// How the frequencies of an axis depend on the pair index i.
/// plain: θ_i = b^(−2i/d).
/// proportional (Gemma 4): the ladder runs over the whole head, θ_i = b^(−2i/head_dim) for
/// i < int(fraction·head_dim // 2) and 0 otherwise, all divided by `factor`.
/// Source: Hugging Face transformers `proportional`.
/// given: the numbers in `frequencies`, independent of d and b; core/formats/ladder_text.h parses them.
enum class Ladder { plain, proportional, given };

/// A position axis and the frequency ladder over *its* channels. Text has a single axis, called "position".
struct RotaryAxis {
  std::string name = "position";
  int rotary_dim = 128;  ///< d, even: channels that this axis owns; it has d/2 pairs
  double base = 10000;   ///< b > 1
  Ladder ladder = Ladder::plain;
  double live_fraction = 1;              ///< proportional ladder only: fraction of the pairs that are rotated
  double factor = 1;                     ///< proportional ladder only: all frequencies are divided by it
  std::vector<double> frequencies = {};  ///< given ladder only: radians per position, one per pair
  bool operator==(const RotaryAxis&) const = default;
};

/// The name of the method without an extension: a plain ladder.
inline constexpr std::string_view kNoMethod = "none";
/// Returns whether a scaling method extends a context: all but "none" do.
inline bool extends(std::string_view method) {
  return method != kNoMethod;
}

/// The context extension requested by a config; method "none" means a plain ladder. Parameters have the methods' own
/// names: factor, low_frequency_factor, high_frequency_factor, beta_fast, beta_slow, mscale, mscale_all_dim,
/// attention_factor, truncate (0 or 1), ntk_alpha; lists: short_factors, long_factors (one number per
/// pair).
struct Extension {
  std::string method{kNoMethod};
  std::map<std::string, double> numbers;
  std::map<std::string, std::vector<double>> lists;
  bool operator==(const Extension&) const = default;
  /// Returns the parameter `name`, or nullopt if it is not set.
  std::optional<double> number(std::string_view name) const;
};

/// Complete specification of a model's rotary position embedding. The pairs of the axes are concatenated in the order
/// of `axes`; channels from Σ rotary_dim up to head_dim are not rotated.
struct RotarySpec {
  int head_dim = 128;
  Pairing pairing = Pairing::half_split;
  std::vector<RotaryAxis> axes = {RotaryAxis{}};
  std::optional<double> trained_length = {};  ///< L in positions; nullopt if the model has no such limit
  Extension extension = {};
  double amplitude = 1;  ///< factor on cos and sin (attention factor)
  bool operator==(const RotarySpec&) const = default;
};

/// Returns Σ rotary_dim over the axes, the number of rotated channels of a head.
int total_rotary_dim(const RotarySpec& spec);

/// Validates a specification. Throws InputError naming the field if a dimension is odd, zero, greater than
/// kLargestDimension or greater than the head; a base is not finite and > 1; a live fraction is outside (0, 1]; a given
/// ladder does not have one finite non-negative frequency per pair; the trained length is not positive and finite; or
/// there is no axis. All other functions accept any specification that passes.
void validate(const RotarySpec& spec);

// --- Its plain frequencies -----------------------------------------------------------------------------------------

/// Returns θ_i = b^(−2i/d) for i = 0 … d/2 − 1, in radians per position (RoFormer, arXiv 2104.09864, section 3.2.2),
/// accurate to about one unit in the last place. Throws InputError unless d is even in 2…8192 and b is finite and > 1.
Eigen::VectorXd plain_frequencies(int rotary_dim, double base);

/// Returns Gemma 4's ladder: θ_i = b^(−2i/head_dim)/factor for i < int(live_fraction·head_dim // 2), then zeros;
/// head_dim/2 entries. Source: Hugging Face transformers `_compute_proportional_rope_parameters`.
Eigen::VectorXd proportional_frequencies(int head_dim, double base, double live_fraction, double factor);

/// Returns the frequencies of an axis according to its ladder, in radians per position, one per pair.
Eigen::VectorXd axis_frequencies(const RotaryAxis& axis);

/// Returns the wavelength λ = 2π/θ in positions per turn; infinity for a static pair (θ = 0).
double wavelength(double frequency);

}  // namespace ropescope
