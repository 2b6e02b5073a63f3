#pragma once

#include "core/encodings/encoding.h"
#include "core/scaling/scaling.h"

namespace ropescope {

/// Gives settings of `dim` channels what one axis of a rotary embedding turns by, as far as the encoding looks at it:
/// base; rotary_dim, where the axis has fewer channels than the head; and its ladder under a context extension
/// (scaled_ladder). A ladder that says no more than base and rotary_dim do is left out, so that a plain rope gives the
/// same settings whichever way it is written, and the same scores to the last bit. Whether the head has room for the
/// pairs, validate says.
void put_ladder(EncodingSettings& settings, const Encoding& encoding, const RotaryAxis& axis,
                const ScaledLadder& ladder);

}  // namespace ropescope
