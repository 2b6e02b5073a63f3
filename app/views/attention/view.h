#pragma once

#include "app/views/view.h"

namespace ropescope {

/// Attention over a sequence with one encoding; AttentionKnobs::show picks the picture. weights: how much of each value
/// goes into each output, one row of it, sums of rows and means by distance. shift: how far outputs change when all
/// positions move. shuffle: what another order of the tokens does to weights and outputs; a token of its lower line is
/// dragged to another place. cost: measured times of softmax and linear attention against the number of tokens. energy:
/// mean score by distance beside its bound, and how much of q and k each pair of channels holds. The rope's context
/// extension plays no part here. A click into the map, or on the sums of rows, picks the query whose weights are drawn
/// as a curve. Opens a .npz or .npy of q and k.
extern const View kAttentionView;

}  // namespace ropescope
