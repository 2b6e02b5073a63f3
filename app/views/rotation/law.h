// The picture "law" of the view Rotation: other laws for angle and length over the place, and what rules each out. Read
// core/rotary/rotation.h (PlaceLaw) before; figures.h has the parts of planes.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "core/rotary/rotation.h"

namespace ropescope {

/// What the picture "law" shares: a law that somebody chose for angle and length, q and k, and where they stand.
struct LawState {
  RotationFields fields;
  PlaceLaw law;
  PlanePair pair;
  int span = 24;                                ///< of the common shift t
  double query_position = 0, key_position = 0;  ///< m and n, between two places while it plays
  Eigen::Vector2d q, k, turned_q, turned_k;     ///< turned: f_q(q, m), f_k(k, n)
  LawChanges changes;                           ///< of the chosen law
};
LawState law_state(const RotationFields& fields);

/// q and k in the plane as the laws move them to m and n: handles "q" and "k".
Figure law_plane_figure(const LawState& state, const Text& text);
/// The angle of q and of k over the place, and the length of both, which are not of one size.
Figure laws_figure(const LawState& state, const Text& text);
Figure lengths_figure(const LawState& state, const Text& text);
/// The score over the common shift, for kLawDistances.
Figure shift_figure(const LawState& state, const Text& text);
/// Every law by itself: where its score is flat, and what rules it out.
Figure law_table_figure(const LawState& state, const Text& text);

std::vector<Readout> law_readouts(const LawState& state, const Text& text);

/// The line of the derivation that rules a law out, "29–30"; empty for one that no line rules out.
std::string line_against(AngleLaw law, const Text& text);
std::string line_against(LengthLaw law, const Text& text);

}  // namespace ropescope
