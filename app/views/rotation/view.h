// The view Rotation: how a vector is rotated. It defines the common state of its pictures and the scores for the store;
// figures.h draws it. Read app/views/view.h and core/rotary/rotation.h first.
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

/// Two vectors in the plane, their positions, and both vectors there: rotated by the pair, or by a law.
struct PlaneState {
  RotationFields fields;
  double query_position = 0, key_position = 0;  ///< m and n, fractional while it plays
  Eigen::Vector2d q, k, turned_q, turned_k;  ///< rotated: amplitude · R_m q, amplitude · R_k k; f_q(q, m), f_k(k, n)
  /// Sets all but the rotated vectors.
  void set(const RotationFields& from);
};

/// The common state of the rotation pictures: the rope's ladder, the pair in the plane and its two vectors.
struct RotationState : PlaneState {
  ScaledLadder ladder;  ///< of the selected axis
  Pairing pairing = Pairing::half_split;
  double base = 0, trained_length = 0, extended_length = 0;
  Eigen::VectorXd trained;  ///< see trained_frequencies
  Eigen::Index pairs = 0, pair = 0;
  std::pair<int, int> channels;     ///< of the pair, counted within the head
  double frequency = 0;             ///< θ of the pair, radians per position
  Eigen::VectorXd key_frequencies;  ///< of keys: the ladder's, unless a separate key base is set
  double key_frequency = 0;         ///< of the pair, for keys
};
/// Returns the state for the experiment. Throws InputError if the rope's fields contradict each other or the key base
/// is invalid.
RotationState rotation_state(const Experiment& experiment);

/// q and k of all pairs, pair i at (2i, 2i+1). The pair in the plane has its arrows; the others have the same two
/// vectors, or independent standard normal numbers from the seed.
struct RotationContent {
  Eigen::VectorXd q, k;
};
RotationContent rotation_content(const RotationState& state);

/// The magnitudes behind two results, which determine how far they may differ in float64.
struct Operands {
  double size = 0;   ///< sum of the absolute values of all terms
  double terms = 0;  ///< number of products summed
  double angle = 0;  ///< largest rotation angle in radians, whose rounding affects the result
};
/// Returns whether a difference is within the rounding of two float64 computations: at most ε·size·(8 + terms +
/// 2·angle) with ε = 2⁻⁵² (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1, for the sum). False for
/// NaN.
bool is_rounding(double difference, const Operands& operands);

/// The score in three ways: before any rotation ⟨q, k⟩; rotated ⟨R_m q, R_k k⟩; relative ⟨q, R_{k−m} k⟩. The latter two
/// include the amplitude twice. Relative uses the rope's ladder, so with a separate key base it differs from rotated.
struct RotationScores {
  double before = 0, rotated = 0, relative = 0;
  Operands operands;  ///< of rotated and relative
};
RotationScores pair_scores(const RotationState& state);
RotationScores all_scores(const RotationState& state, const RotationContent& content);

/// Moves the channels of a vector from pair order (pair i at (2i, 2i+1)) to their places in `pairing`.
Eigen::VectorXd in_layout(const Eigen::VectorXd& pair_order, Pairing pairing);

/// Returns the pairs with a clock, ascending: all, or kMaxClocks evenly spaced ones including the selected pair.
inline constexpr Eigen::Index kMaxClocks = 128;
std::vector<Eigen::Index> clock_pairs(const RotationState& state);

/// Returns whether a pair completes a turn in the trained length; false (λ > L) only if the length is known.
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
  /// For each pair: its two channels, and their rotated values even·cos − odd·sin and even·sin + odd·cos.
  Eigen::VectorXd even, odd, pair_cosine, pair_sine, turned_even, turned_odd;
  Eigen::VectorXd by_matrix, by_complex, by_elements, by_columns, by_stack, by_blocks;  ///< x′ in each form
  double largest_difference = 0;                                                        ///< between any two of them
};
RotationForms rotation_forms(const RotationState& state);

// --- Computed ------------------------------------------------------------------------------------------------------

/// Scores of one query and key over all pairs, with weights laid out for one pairing. right: both rotated by the code
/// of that pairing; other: both rotated by the code of the other pairing; mixed: the query by the right code, the key
/// by the other.
struct MixedScores {
  double right = 0, other = 0, mixed = 0;
};

/// The scores of MixedScores as curves over distances 0, 1, … from a fixed key.
struct MixedCurves {
  std::shared_ptr<const Series> right, other, mixed;
  std::size_t bytes() const { return bytes_in(right, other, mixed); }
};

/// The input of MixedCurves: q and k in the channel order of the weights (2n channels in the layout of `pairing`).
struct MixedInput {
  KeyVector frequencies;
  double amplitude = 1;
  Pairing pairing = Pairing::half_split;
  KeyVector q, k;
  double key_position = 0;
  double reach = 0;  ///< largest distance

  bool operator==(const MixedInput&) const = default;
  /// Returns the scores at one query position; the distance may be negative.
  MixedScores scores(double query_position) const;
};

// --- Sheet ---------------------------------------------------------------------------------------------------------

/// A table of numbers: rows run downwards from 0, columns to the right; headers are above row 0.
struct Sheet {
  Figure figure;
  double text_size = 1;  ///< smaller if many rows share the height

  /// Creates a sheet for `rows` rows and columns from 0 to `width`.
  Sheet(const std::string& name, const std::string& title, int rows, double width);

  /// Adds words centred at a place; slot −1: secondary.
  void words(double column, double row, const std::string& text, int slot = -1);
  /// Adds a number with two decimals and a true minus sign, in the colour of its pair.
  void number(double column, double row, double value, int slot);
  void header(double column, const std::string& text);
  /// Adds brackets around rows first … last and columns from left to right.
  void brackets(double left, double right, double first, double last);
};

// --- Cards ---------------------------------------------------------------------------------------------------------

/// Return the cards of the pair in the plane, of the forms, and of the mixed pairings.
std::vector<Readout> turn_readouts(const RotationState& state, const Text& text);
std::vector<Readout> forms_readouts(const RotationState& state, const RotationForms& forms, const Text& text);

inline constexpr double kPermuteSeconds = 3;

}  // namespace ropescope
