// The picture "law" of the view Rotation: alternative laws of angle and length over the position, and what excludes
// each. Read core/rotary/rotation.h (PositionLaw) first; figures.h has the shared parts of plane figures.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "core/rotary/rotation.h"

namespace ropescope {

/// The state of the picture "law": the selected law of angle and length, q and k, and their positions.
struct LawState {
  RotationFields fields;
  PositionLaw law;
  PlanePair pair;
  int span = 24;                                ///< range of the common shift t
  double query_position = 0, key_position = 0;  ///< m and n, fractional while it plays
  Eigen::Vector2d q, k, turned_q, turned_k;     ///< rotated: f_q(q, m), f_k(k, n)
  LawChanges changes;                           ///< for the selected law
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
