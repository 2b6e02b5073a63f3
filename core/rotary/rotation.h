// Rotation of vectors by a rotary embedding: pair rotations, tables of cos and sin, and alternative rotation laws. Read
// spec.h first.
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

/// Four equivalent forms of the rotation (RoFormer eq. 15 and 34). Each takes n frequencies θ_i, a position m (any real
/// number) and a vector x with at least 2n channels. Channels from 2n on are returned unchanged; the amplitude
/// multiplies only the rotated channels. tests/laws verifies that the forms agree.

/// Returns the two channels of pair i among 2n rotated channels: interleaved (2i, 2i+1) or half split (i, i+n).
std::pair<int, int> pair_channels(Pairing pairing, int pair, int pair_count);

/// Returns the permutation p of 2n channels with half_split[c] = interleaved[p[c]], which converts the pairing.
std::vector<int> half_split_from_interleaved(int pair_count);

/// Form 1: the d×d rotation matrix R_m (d = 2n), block diagonal for interleaved pairs.
Eigen::MatrixXd rotation_matrix(const Eigen::VectorXd& frequencies, Pairing pairing, double position,
                                double amplitude = 1);

/// Form 2: z_i·e^{imθ_i} with z_i = x_first + i·x_second, on complex numbers.
Eigen::VectorXd rotate_complex(const Eigen::VectorXd& x, const Eigen::VectorXd& frequencies, Pairing pairing,
                               double position, double amplitude = 1);

/// Form 3 (eq. 34): x ⊗ cos + (companion of x) ⊗ sin, where the companion of (x_first, x_second) is (−x_second,
/// x_first).
Eigen::VectorXd rotate_elementwise(const Eigen::VectorXd& x, const Eigen::VectorXd& frequencies, Pairing pairing,
                                   double position, double amplitude = 1);

/// Form 4: one 2×2 matrix [[cos, −sin], [sin, cos]] per pair (FLUX's own form).
std::vector<Eigen::Matrix2d> rotation_blocks(const Eigen::VectorXd& frequencies, double position, double amplitude = 1);
Eigen::VectorXd rotate_blocks(const Eigen::VectorXd& x, const std::vector<Eigen::Matrix2d>& blocks, Pairing pairing);

/// The cos and sin of m·θ_i (times amplitude): the table row of one position.
struct TableRow {
  Eigen::VectorXd cosine, sine;
};
TableRow table_row(const Eigen::VectorXd& frequencies, double position, double amplitude = 1);

/// The rotation of head vectors of spec.head_dim channels: head_table_row() computes the table row of a token
/// (frequencies of all pairs, concatenated over the axes; one position per axis), and rotate_by_row() applies it to one
/// head. Both throw InputError if the sizes do not match.
TableRow head_table_row(const RotarySpec& spec, const Eigen::VectorXd& frequencies,
                        const std::vector<double>& positions);
Eigen::VectorXd rotate_by_row(const RotarySpec& spec, const TableRow& row, const Eigen::VectorXd& x);

// --- Laws ----------------------------------------------------------------------------------------------------------

// RoFormer (arXiv 2104.09864), section 3.4.1, requires f_q(q, m) and f_k(k, n) in the plane whose inner product depends
// only on m − n. These are candidate laws, and the change of the product when both positions are shifted together.

/// The rotation angle in radians at position m (query) or n (key):
/// linear mθ; quadratic m²θ; root θ√m; offset mθ + γ, nθ + γ; offsets mθ + γ, nθ + γ′; other_key mθ, nθ′.
enum class AngleLaw { linear, quadratic, root, offset, offsets, other_key };
inline constexpr std::array kAngleLaws{AngleLaw::linear, AngleLaw::quadratic, AngleLaw::root,
                                       AngleLaw::offset, AngleLaw::offsets,   AngleLaw::other_key};
/// The factor on the length of a vector. constant 1; growing 1 + m, 1 + n; reciprocal 1 + m, 1/(1 + n);
/// exponential e^{cm}, e^{−cn} (xPos, arXiv 2212.10554).
enum class LengthLaw { constant, growing, reciprocal, exponential };
inline constexpr std::array kLengthLaws{LengthLaw::constant, LengthLaw::growing, LengthLaw::reciprocal,
                                        LengthLaw::exponential};

struct PositionLaw {
  AngleLaw angle = AngleLaw::linear;
  LengthLaw length = LengthLaw::constant;
  double theta = 0, theta_key = 0;  ///< radians per place
  double gamma = 0, gamma_key = 0;  ///< radians
  double rate = 0;                  ///< c, per place
};

/// The effect of a law on a vector: multiplication by length · e^{i·angle}.
struct PositionEffect {
  double length = 1, angle = 0;
};
PositionEffect query_effect(const PositionLaw& law, double place);
PositionEffect key_effect(const PositionLaw& law, double place);
std::complex<double> apply_effect(std::complex<double> vector, const PositionEffect& effect);

/// Query and key before a law is applied.
struct PlanePair {
  std::complex<double> q, k;
};
/// Returns the score ⟨f_q(q, t + Δ), f_k(k, t)⟩ = Re(f_q · conj f_k), with the key at t and the query at t + Δ.
double law_score(const PositionLaw& law, const PlanePair& pair, double distance, double shift);

/// Returns (max − min of the score over t = 0, 1, …, span) / (|q||k|): 0 up to rounding if the score depends only on Δ.
/// Returns 0 if q or k is 0.
double score_variation(const PositionLaw& law, const PlanePair& pair, double distance, int span);
/// Changes below this threshold are attributed to rounding.
inline constexpr double kFlatnessTolerance = 1e-9;

/// The distances Δ at which laws are compared.
inline constexpr std::array<double, 3> kLawDistances{0, 1, 3};
/// Returns the largest difference between the scores at kLawDistances, with the key at 0, divided by |q||k|: 0 if the
/// law does not depend on the distance at all, or if q or k is 0.
double law_contrast(const PositionLaw& law, const PlanePair& pair);

/// Changes of one law at kLawDistances.
struct LawChanges {
  std::array<double, kLawDistances.size()> change{};
  bool flat(std::size_t distance) const { return change[distance] < kFlatnessTolerance; }
  bool flat() const { return flat(0) && flat(1) && flat(2); }
};
LawChanges law_changes(const PositionLaw& law, const PlanePair& pair, int span);
/// Returns the changes for every angle law with constant lengths, in the order of kAngleLaws.
std::array<LawChanges, kAngleLaws.size()> angle_law_changes(PositionLaw law, const PlanePair& pair, int span);
/// Returns the changes for every length law with the angle mθ, in the order of kLengthLaws.
std::array<LawChanges, kLengthLaws.size()> length_law_changes(PositionLaw law, const PlanePair& pair, int span);

}  // namespace ropescope
