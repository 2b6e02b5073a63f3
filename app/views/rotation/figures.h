// The figures of the view Rotation: the pair in the plane, all pairs as clocks, the helix, and the two pairings, with
// shared parts of plane figures. forms.cpp and law.cpp draw the last two sections. Read view.h
// first for their common state.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/rotation/view.h"
#include "core/rotary/rotation.h"

namespace ropescope {

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
