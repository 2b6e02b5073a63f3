// Turning vectors by a rope: rotations of pairs, tables of cos and sin, and the laws that every rotation obeys. Read
// spec.h first: it says what a rope is.
#pragma once

#include <Eigen/Core>
#include <array>
#include <complex>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/rotary/spec.h"

namespace ropescope {

// --- Rotation ------------------------------------------------------------------------------------------------------

/// The four forms of one rotation (RoFormer eq. 15 and 34). Every form takes n frequencies θ_i, one position m (any
/// real number) and a vector x of at least 2n channels; channels past 2n come back untouched; the amplitude multiplies
/// the rotated channels only. They are the same map, which tests/laws proves.

/// The two channels of pair i among 2n rotated ones: interleaved (2i, 2i+1), half split (i, i+n).
std::pair<int, int> pair_channels(Pairing pairing, int pair, int pair_count);

/// p with half_split[c] = interleaved[p[c]]: the fixed reordering of 2n channels that turns one pairing into the other.
std::vector<int> half_split_from_interleaved(int pair_count);

/// Form 1: the d×d matrix R_m (d = 2n), block diagonal for interleaved pairs.
Eigen::MatrixXd rotation_matrix(const Eigen::VectorXd& frequencies, Pairing pairing, double position,
                                double amplitude = 1);

/// Form 2: z_i·e^{imθ_i} with z_i = x_first + i·x_second.
Eigen::VectorXd rotate_complex(const Eigen::VectorXd& x, const Eigen::VectorXd& frequencies, Pairing pairing,
                               double position, double amplitude = 1);

/// Form 3 (eq. 34): x ⊗ cos + (companion of x) ⊗ sin, where the companion of (x_first, x_second) is (−x_second,
/// x_first).
Eigen::VectorXd rotate_elementwise(const Eigen::VectorXd& x, const Eigen::VectorXd& frequencies, Pairing pairing,
                                   double position, double amplitude = 1);

/// Form 4: one 2×2 matrix [[cos, −sin], [sin, cos]] per pair (FLUX's own form).
std::vector<Eigen::Matrix2d> rotation_blocks(const Eigen::VectorXd& frequencies, double position, double amplitude = 1);
Eigen::VectorXd rotate_blocks(const Eigen::VectorXd& x, const std::vector<Eigen::Matrix2d>& blocks, Pairing pairing);

/// cos and sin of m·θ_i (times amplitude): the table row of one position.
struct TableRow {
  Eigen::VectorXd cosine, sine;
};
TableRow table_row(const Eigen::VectorXd& frequencies, double position, double amplitude = 1);

/// What a model does to head vectors of spec.head_dim channels: the table row of one token (frequencies of all
/// pairs, the axes one after the other; one position for each axis of the spec), then the rotation of each of its
/// heads by that row. Throws InputError where the sizes do not fit.
TableRow head_table_row(const RotarySpec& spec, const Eigen::VectorXd& frequencies,
                        const std::vector<double>& positions);
Eigen::VectorXd rotate_by_row(const RotarySpec& spec, const TableRow& row, const Eigen::VectorXd& x);

// --- Laws ----------------------------------------------------------------------------------------------------------

// RoFormer (arXiv 2104.09864), section 3.4.1, asks for f_q(q, m) and f_k(k, n) in the plane whose inner product sees
// m − n alone. Here are laws that one might try, and what becomes of the product when both places move on together.

/// What a vector is turned by at the place m (query) or n (key), radians.
/// linear mθ; quadratic m²θ; root θ√m; offset mθ + γ, nθ + γ; offsets mθ + γ, nθ + γ′; other_key mθ, nθ′.
enum class AngleLaw { linear, quadratic, root, offset, offsets, other_key };
inline constexpr std::array kAngleLaws{AngleLaw::linear, AngleLaw::quadratic, AngleLaw::root,
                                       AngleLaw::offset, AngleLaw::offsets,   AngleLaw::other_key};
/// What the length of a vector is multiplied by. constant 1; growing 1 + m, 1 + n; reciprocal 1 + m, 1/(1 + n);
/// exponential e^{cm}, e^{−cn} (xPos, arXiv 2212.10554).
enum class LengthLaw { constant, growing, reciprocal, exponential };
inline constexpr std::array kLengthLaws{LengthLaw::constant, LengthLaw::growing, LengthLaw::reciprocal,
                                        LengthLaw::exponential};

struct PlaceLaw {
  AngleLaw angle = AngleLaw::linear;
  LengthLaw length = LengthLaw::constant;
  double theta = 0, theta_key = 0;  ///< radians per place
  double gamma = 0, gamma_key = 0;  ///< radians
  double rate = 0;                  ///< c, per place
};

/// What becomes of a vector: it is multiplied by length · e^{i·angle}.
struct PlaceEffect {
  double length = 1, angle = 0;
};
PlaceEffect query_effect(const PlaceLaw& law, double place);
PlaceEffect key_effect(const PlaceLaw& law, double place);
std::complex<double> moved(std::complex<double> vector, const PlaceEffect& effect);

/// Query and key before any law.
struct PlanePair {
  std::complex<double> q, k;
};
/// ⟨f_q(q, t + Δ), f_k(k, t)⟩ = Re(f_q · conj f_k): the key at t, the query Δ further on.
double law_score(const PlaceLaw& law, const PlanePair& pair, double distance, double shift);

/// (max − min over t = 0, 1, …, span of the score) / (|q||k|): 0 up to rounding where the score sees Δ alone. 0 where q
/// or k is 0.
double law_change(const PlaceLaw& law, const PlanePair& pair, double distance, int span);
/// Below this a change is rounding.
inline constexpr double kFlat = 1e-9;

/// The distances that are looked at.
inline constexpr std::array<double, 3> kLawDistances{0, 1, 3};
/// Largest difference of the scores at these distances, the key at 0, over |q||k|: 0 for a law that does not see the
/// distance either. 0 where q or k is 0.
double law_apart(const PlaceLaw& law, const PlanePair& pair);

/// Changes of one law at kLawDistances.
struct LawChanges {
  std::array<double, kLawDistances.size()> change{};
  bool flat(std::size_t distance) const { return change[distance] < kFlat; }
  bool flat() const { return flat(0) && flat(1) && flat(2); }
};
LawChanges law_changes(const PlaceLaw& law, const PlanePair& pair, int span);
/// What changes by every angle law with constant lengths, in the order of kAngleLaws.
std::array<LawChanges, kAngleLaws.size()> angle_law_changes(PlaceLaw law, const PlanePair& pair, int span);
/// What changes by every length law with the angle mθ, in the order of kLengthLaws.
std::array<LawChanges, kLengthLaws.size()> length_law_changes(PlaceLaw law, const PlanePair& pair, int span);

}  // namespace ropescope
