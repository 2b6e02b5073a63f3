// The figures of the view Rotation: the pair in the plane, all pairs as clocks, the helix, and the two pairings, with
// the parts that pictures of a plane share. forms.h and law.h hold further pictures, view.h the state that all look at.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/rotation/forms.h"
#include "app/views/rotation/view.h"

namespace ropescope {

// --- Figures -------------------------------------------------------------------------------------------------------

/// One pair in the plane: Euler's circle, q and k as arrows (handles "q" and "k"), turned by R_m and R_n, spirals that
/// count the turns of mθ and nθ, and the components of R_m q on both axes.
Figure plane_figure(const RotationState& state, const Text& text);

/// All pairs as clocks whose hands stand at mθ_i. The part of the circle that a pair has covered is filled; pairs that
/// finish no turn in the trained length have a colour of their own. Up to kMostNamedClocks have their numbers under
/// them; of more of them each row is named by its first. Handles "pair.0", "pair.1", ….
inline constexpr std::size_t kMostNamedClocks = 32;
Figure clocks_figure(const RotationState& state, const Text& text);

/// The helix (p, cos pθ, sin pθ) of the pair over the positions p, obliquely from the front, with its shadows cos on
/// the floor and sin on the wall, and the places of query and key.
Figure helix_figure(const RotationState& state, const Text& text);

/// The channels of 8 on their way from interleaved (at `progress` 0) to half split (1).
Figure permutation_figure(double progress, Pairing pairing, const Text& text);
/// The figure of the score by distance: right, with the code of the other pairing, and with q and k rotated by
/// different codes.
Figure mixed_figure(const RotationState& state, const MixedCurves& curves, const Text& text);

/// An angle in words: "mθ = 2.214 rad" (`key` is the text with {angle}), and in turns: "0.352 turns", "12 turns +
/// 0.450".
struct AngleWords {
  std::string angle, turns;
};
AngleWords angle_words(double angle_radians, const std::string& key, const Text& text);

// --- Parts of planes -----------------------------------------------------------------------------------------------

// What the pictures of a pair in the plane share.

inline constexpr LineStyle kQuery{0, false}, kQueryFaint{0, true}, kKey{1, false}, kKeyFaint{1, true};

void add(Path& path, double x, double y);
Path path_of(const std::string& key, Role role, double width = 1);

/// Adds the axes of the plane as far as `reach`, and the circle of length 1 with its ticks.
void add_circle(Figure& figure, double reach);
/// The angle from the arrow to where it was turned, as a spiral that grows a little with each turn. More than a few
/// turns begin later: the end stays where it is.
Path spiral(const std::string& key, const Eigen::Vector2d& from, double angle, Range radius);
/// Words in a corner of the plane, the `line`-th from its edge: lines lie apart by the height of the words, which is
/// not known here, so the anchor counts in it.
Label corner_label(Eigen::Vector2d corner, double line, const std::string& words, const LineStyle& style);
Arrow arrow_to(const std::string& key, const Eigen::Vector2d& tip, const std::string& label, const LineStyle& style);
/// Adds the shape that stays while both are locked: what lies between the two turned arrows, the short way.
void add_between(Figure& figure, const Eigen::Vector2d& query, const Eigen::Vector2d& key);
/// What is said over a tip that can be dragged.
std::string vector_tip(const std::string& name, const Eigen::Vector2d& vector, const Text& text);
/// Adds handles "q" and "k", so that the tips of q and k can be dragged.
void add_vector_handles(Figure& figure, const Eigen::Vector2d& q, const Eigen::Vector2d& k, const Text& text);

}  // namespace ropescope
