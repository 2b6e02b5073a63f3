#pragma once

#include "app/views/view.h"

namespace ropescope {

/// How a vector turns (RoFormer, arXiv 2104.09864, section 3.2). RotationKnobs::show picks one of five pictures: one
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
