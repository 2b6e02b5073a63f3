// The view Rotation: how a vector is rotated. It defines the common state of its pictures, the scores for the store,
// and the pictures with their shared parts; forms.cpp and law.cpp draw the last two sections. Read app/views/view.h and
// core/rotary/rotation.h first.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/view.h"
#include "core/rotary/rotation.h"
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

// --- Figures -------------------------------------------------------------------------------------------------------

/// Draws one pair in the plane: Euler's circle, q and k as arrows (handles "q" and "k"), the arrows rotated by R_m and
/// R_n, spirals that show the turns of mθ and nθ, and the components of R_m q on both axes.
Figure plane_figure(const RotationState& state, const Text& text);

/// Draws all pairs as clocks with hands at mθ_i. The part of the circle that a pair has covered is filled; pairs that
/// complete no turn in the trained length have a separate colour. Up to kMaxNamedClocks clocks are numbered; with
/// more, only the first in each row. Handles "pair.0", "pair.1", ….
inline constexpr std::size_t kMaxNamedClocks = 32;
Figure clocks_figure(const RotationState& state, const Text& text);

/// Draws the helix (p, cos pθ, sin pθ) of the pair over the positions p, with cos projected on the floor and sin on the
/// wall, and the positions of query and key. By default it is an oblique front view with x in positions; at another yaw
/// or pitch a camera draws it to scale, both axes in radii. At yaw 90°, pitch 0 the point of p is (cos pθ, sin pθ). The
/// handle "camera" catches the mouse anywhere: a drag turns the helix.
Figure helix_figure(const RotationState& state, const Text& text);

/// Draws 8 channels moving from interleaved (`progress` 0) to half split (1).
Figure permutation_figure(double progress, Pairing pairing, const Text& text);
/// Draws the score by distance: with the right code, with the code of the other pairing, and with q and k rotated by
/// different codes.
Figure mixed_figure(const RotationState& state, const MixedCurves& curves, const Text& text);

/// An angle as text: "mθ = 2.214 rad" (`key` is the text with {angle}), and in turns: "0.352 turns", "12 turns +
/// 0.450".
struct AngleWords {
  std::string angle, turns;
};
AngleWords angle_words(double angle_radians, const std::string& key, const Text& text);

// --- Parts of planes -----------------------------------------------------------------------------------------------

// Shared parts of plane figures.

inline constexpr LineStyle kQuery{0, false}, kQueryFaint{0, true}, kKey{1, false}, kKeyFaint{1, true};

/// Returns half the side of a plane: with a margin for names around the unit circle, and in steps around longer arrows,
/// so that the picture does not jitter while an arrow is dragged.
double plane_extent(double longest);
/// Returns the figure "plane" with axes up to `reach`, and the unit circle with its ticks.
Figure empty_plane(double reach);
/// Returns the angle from an arrow to the rotated arrow as a spiral that widens with each turn. For more than a few
/// turns its start is omitted and its end stays in place.
Path spiral(const std::string& key, const Eigen::Vector2d& from, double angle, Range radius);
/// Returns words in a corner of the plane, on the `line`-th line from its edge. Lines are spaced by the text height,
/// which is unknown here, so the label's anchor includes the line.
Label corner_label(Eigen::Vector2d corner, double line, const std::string& words, const LineStyle& style);
/// Adds the tips `tip_at(position)` of a vector at the integer positions before `position`.
void add_trail(Figure& figure, const std::string& key, const LineStyle& style, double position,
               const std::function<Eigen::Vector2d(double)>& tip_at);
/// Adds the shape that stays constant while both are locked: the shorter sector between the two rotated arrows.
void add_between(Figure& figure, const Eigen::Vector2d& query, const Eigen::Vector2d& key);
/// Returns the tooltip of a draggable tip.
std::string vector_tip(const std::string& name, const Eigen::Vector2d& vector, const Text& text);
/// Adds q, k and both after their rotation as arrows, those of the text keys `turned` + "q" and "k" after rotation, and
/// handles "q" and "k" for dragging the tips of q and k.
void add_vectors(Figure& figure, const PlaneState& vectors, const std::string& turned, const Text& text);

// --- Forms ---------------------------------------------------------------------------------------------------------

/// A token x in two channels, projected to a query or key W x, then rotated to R_m W x (RoFormer eq. 13).
struct RotationWeights {
  Eigen::Matrix2d weights, turn;  ///< W; amplitude · R_m of the pair
  Eigen::Vector2d x, projected, turned;
};
RotationWeights rotation_weights(const RotationState& state);
/// Draw both products as numbers, and the three vectors in the plane, where x can be dragged (handle "x").
Figure products_of_weights_figure(const RotationWeights& weights, const RotationState& state, const Text& text);
Figure plane_of_weights_figure(const RotationWeights& weights, const RotationState& state, const Text& text);

/// Draw the four forms, and two versions of FLUX's code: each with x, its rotation, and the result.
Figure matrix_figure(const RotationForms& forms, const Text& text);
Figure complex_figure(const RotationForms& forms, const Text& text);
Figure elements_figure(const RotationForms& forms, const Text& text);
Figure columns_figure(const RotationForms& forms, const Text& text);
Figure stack_figure(const RotationForms& forms, const Text& text);
Figure blocks_figure(const RotationForms& forms, const Text& text);

/// Returns the cards of the weights.
std::vector<Readout> weights_readouts(const RotationWeights& weights, const Text& text);

// --- Laws ----------------------------------------------------------------------------------------------------------

/// The state of the picture "law": the selected law of angle and length, q and k, and their positions.
struct LawState : PlaneState {
  PositionLaw law;
  PlanePair pair;
  int span = 24;       ///< range of the common shift t
  LawChanges changes;  ///< for the selected law
};
LawState law_state(const RotationFields& fields);

/// Draws q and k in the plane after the laws move them to positions m and n, with handles "q" and "k".
Figure law_plane_figure(const LawState& state, const Text& text);
/// Draw the angle of q and k, and the length of both, over the position, each on its own scale.
Figure laws_figure(const LawState& state, const Text& text);
Figure lengths_figure(const LawState& state, const Text& text);
/// Draws the score over the common shift, for kLawDistances.
Figure shift_figure(const LawState& state, const Text& text);
/// Draws a table of all laws: for which its score is constant, and what excludes the others.
Figure law_table_figure(const LawState& state, const Text& text);

std::vector<Readout> law_readouts(const LawState& state, const Text& text);

/// Returns the line of the derivation that excludes a law, "29–30"; empty if none does.
std::string line_against(AngleLaw law, const Text& text);
std::string line_against(LengthLaw law, const Text& text);

}  // namespace ropescope
