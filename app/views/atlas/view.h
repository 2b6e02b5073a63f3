#pragma once

#include "app/views/view.h"

namespace ropescope {

/// The values of an encoding as a map, positions downwards: sinusoidal vectors (rope.base, rope.rotary_dim), RoPE's
/// cos, sin and angle modulo 2π on the rope's ladder (its extension and axis included, without its amplitude), or a
/// learned table for contrast. Under it the values of a kept row and of the one that is pointed at, and what every
/// dimension does over the shown positions; cards say how many of them move. The positions can be a sentence's words.
/// A click into the map keeps the row under the mouse.
extern const View kAtlasView;

}  // namespace ropescope
