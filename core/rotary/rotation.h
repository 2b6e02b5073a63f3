#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

#include "core/rotary/spec.h"

namespace ropescope {

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

}  // namespace ropescope
