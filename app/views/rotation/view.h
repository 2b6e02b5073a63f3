// The view Rotation: how a vector turns. Holds the state that its pictures look at, and scores for the store;
// figures.h, forms.h and law.h draw it. Read app/views/view.h and core/rotary/rotation.h before.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/views/view.h"
#include "core/rotary/spec.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- State ---------------------------------------------------------------------------------------------------------

/// What the pictures of the rotation view share: the rope's ladder, the pair in the plane and its two vectors.
struct RotationState {
  RotationFields fields;
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
/// The state that the experiment describes. Throws InputError where the rope's fields contradict each other, and for a
/// key base that is none.
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

/// The channels of a vector in pair order (pair i at (2i, 2i+1)), moved to where `pairing` keeps them.
Eigen::VectorXd in_layout(const Eigen::VectorXd& pair_order, Pairing pairing);

/// Which pairs get a clock: all, or kMostClocks evenly chosen ones, the chosen pair among them. Ascending.
inline constexpr Eigen::Index kMostClocks = 128;
std::vector<Eigen::Index> clock_pairs(const RotationState& state);

/// Whether a pair finishes a turn in the trained length; false (λ > L) only where a length is known.
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
  /// For each pair: its two channels apart, and what becomes of each: even·cos − odd·sin, even·sin + odd·cos.
  Eigen::VectorXd even, odd, pair_cosine, pair_sine, turned_even, turned_odd;
  Eigen::VectorXd by_matrix, by_complex, by_elements, by_columns, by_stack, by_blocks;  ///< x′ in each form
  double largest_difference = 0;                                                        ///< between any two of them
};
RotationForms rotation_forms(const RotationState& state);

// --- Computed ------------------------------------------------------------------------------------------------------

/// Scores of one query and key over all pairs, the weights laid out for one pairing:
/// right: both rotated by the code of that pairing; other: both by the code of the other pairing (weights of one with
/// the code of the other); mixed: the query by the right code, the key by the other.
struct MixedScores {
  double right = 0, other = 0, mixed = 0;
};

/// The scores of MixedScores as curves by distance 0, 1, …, while the key stays where it stands.
struct MixedCurves {
  std::shared_ptr<const Series> right, other, mixed;
  std::size_t bytes() const { return bytes_in(right, other, mixed); }
};

/// Asks for MixedCurves of q and k in the order in which the weights keep them (2n channels in the layout of
/// `pairing`).
struct MixedInput {
  KeyVector frequencies;
  double amplitude = 1;
  Pairing pairing = Pairing::half_split;
  KeyVector q, k;
  double key_position = 0;
  double reach = 0;  ///< largest distance

  bool operator==(const MixedInput&) const = default;
  /// The scores at one distance, which may be negative.
  MixedScores scores(double query_position) const;
};

// --- Sheet ---------------------------------------------------------------------------------------------------------

/// Numbers written out in rows and columns: rows run downwards from 0, columns to the right; a header stands over row
/// 0.
struct Sheet {
  Figure figure;
  double text_size = 1;  ///< smaller where many rows share the height

  /// Room for `rows` rows and columns from 0 to `width`.
  Sheet(const std::string& name, const std::string& title, int rows, double width);

  /// Words in the middle of a place; slot −1: secondary.
  void words(double column, double row, const std::string& text, int slot = -1);
  /// A number with two decimals and a true minus, in the colour of its pair.
  void number(double column, double row, double value, int slot);
  void header(double column, const std::string& text);
  /// Brackets around rows first … last and columns from left to right.
  void brackets(double left, double right, double first, double last);
};

// --- Cards ---------------------------------------------------------------------------------------------------------

/// The cards of the pair in the plane, of the forms, and of the mixed pairings.
std::vector<Readout> turn_readouts(const RotationState& state, const Text& text);
std::vector<Readout> forms_readouts(const RotationState& state, const RotationForms& forms, const Text& text);

// --- View ----------------------------------------------------------------------------------------------------------

/// How a vector turns (RoFormer, arXiv 2104.09864, section 3.2). RotationFields::show picks one of five pictures: one
/// pair in the plane beside the clocks of all pairs; the helix of a pair; the four forms of the rotation with live
/// numbers; the two pairings, the way from one to the other and what mixing them does to the score; and other laws for
/// angle and length over the place, of which the derivation leaves the rotation. The cards say that the score knows
/// only the difference of the positions. A slider of m or k takes the other one along while both are locked
/// (keep_distance). Dragging "q" or "k" of the plane sets its components; a click on the clock "pair.17" brings that
/// pair into the plane.
///
/// The player moves m onwards by `rotation.speed` positions per second (k with it where they are locked); in the
/// picture of the pairings it moves the channels from interleaved to half split instead, in kPermuteSeconds. It stops
/// at the last position, or when the channels have arrived; play then begins again at the start. A step goes to the
/// next whole position, or the next quarter of the channels' way.
extern const View kRotationView;

inline constexpr double kPermuteSeconds = 3;

}  // namespace ropescope
