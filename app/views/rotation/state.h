#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

#include "app/experiment/experiment.h"
#include "core/scaling/scaling.h"

namespace ropescope {

/// What the pictures of the rotation view share: the rope's ladder, the pair in the plane and its two vectors.
struct RotationState {
  RotationKnobs knobs;
  ScaledLadder ladder;  ///< of the axis that is looked at
  Pairing pairing = Pairing::half_split;
  double base = 0, trained_length = 0;
  Eigen::VectorXd trained;  ///< see trained_frequencies
  Eigen::Index pairs = 0, pair = 0;
  std::pair<int, int> channels;                 ///< of the pair, counted in the head
  double frequency = 0;                         ///< θ of the pair, radians per position
  Eigen::VectorXd key_frequencies;              ///< by which keys turn: the ladder's, but for a key base of their own
  double key_frequency = 0;                     ///< of the pair
  double query_position = 0, key_position = 0;  ///< m and n, between two positions while it plays
  Eigen::Vector2d q, k, turned_q, turned_k;     ///< turned: amplitude · R_m q, amplitude · R_k k
};
/// Throws InputError where the rope's knobs contradict each other, and for a key base that is none.
RotationState rotation_state(const Experiment& experiment);

/// q and k of all pairs, pair i at (2i, 2i+1). The pair in the plane holds its arrows; the others the same two vectors,
/// or independent standard normal numbers from the seed.
struct RotationContent {
  Eigen::VectorXd q, k;
};
RotationContent rotation_content(const RotationState& state);

/// What two results were computed from: how far float64 may take them apart.
struct Operands {
  double size = 0;   ///< the sum of what is added up, each term without its sign
  double terms = 0;  ///< how many products are added up
  double angle = 0;  ///< the largest angle that was turned by, radians: its own rounding moves the result
};
/// Whether a difference is no more than the rounding of two computations in float64: at most ε·size·(8 + terms +
/// 2·angle) with ε = 2⁻⁵² (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1, for the sum). False for
/// NaN.
bool is_rounding(double difference, const Operands& operands);

/// The score in three ways: before any rotation ⟨q, k⟩; rotated ⟨R_m q, R_k k⟩; relative ⟨q, R_{k−m} k⟩. Both latter
/// hold the amplitude twice. Relative is on the rope's ladder, so that a key base of its own takes it apart from
/// rotated.
struct RotationScores {
  double before = 0, rotated = 0, relative = 0;
  Operands operands;  ///< of rotated and relative
};
RotationScores pair_scores(const RotationState& state);
RotationScores all_scores(const RotationState& state, const RotationContent& content);

/// Channels in pair order (pair i at (2i, 2i+1)) to where `pairing` keeps them.
Eigen::VectorXd in_layout(const Eigen::VectorXd& pair_order, Pairing pairing);

/// Which pairs get a clock: all, or kMostClocks evenly chosen ones, the chosen pair among them. Ascending.
inline constexpr Eigen::Index kMostClocks = 128;
std::vector<Eigen::Index> clock_pairs(const RotationState& state);

/// What a pair does in the trained length: false for those that finish no turn (λ > L), where a length is known.
bool finishes_a_turn(const RotationState& state, Eigen::Index pair);

/// The forms on a small vector, as drawn: the plain ladder of the rope's base over form_dim channels.
struct RotationForms {
  int pairs = 0;
  Pairing pairing = Pairing::half_split;
  double position = 0;
  Eigen::VectorXd frequencies, x, companion;  ///< companion of (x_first, x_second): (−x_second, x_first)
  Eigen::VectorXd cosine, sine;               ///< per channel, as eq. 34 repeats them
  Eigen::MatrixXd matrix;
  std::vector<Eigen::Matrix2d> blocks;
  /// Of each pair: the channels apart, and what becomes of each: even·cos − odd·sin, even·sin + odd·cos.
  Eigen::VectorXd even, odd, pair_cosine, pair_sine, turned_even, turned_odd;
  Eigen::VectorXd by_matrix, by_complex, by_elements, by_columns, by_stack, by_blocks;  ///< x′ in each form
  double largest_difference = 0;                                                        ///< between any two of them
};
RotationForms rotation_forms(const RotationState& state);
/// x at m against x at k, turned elementwise.
RotationScores form_scores(const RotationState& state, const RotationForms& forms);

}  // namespace ropescope
