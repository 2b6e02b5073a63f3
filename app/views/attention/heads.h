// Pictures of heads for the view Attention: the attention weights of one head, and the scores by distance of all heads
// of a file. view.cpp and layers.cpp select between them and other pictures. Read figures.h first.
#pragma once

#include "app/figure/figure.h"

namespace ropescope {

struct AttentionShown;
struct LayersShown;

/// Draws the picture "weights" of AttentionFields::show. Until it has been computed it is empty and stale; a message
/// replaces what cannot be computed.
ViewResult attention_weights(const AttentionShown& shown);

/// Draws the mean scores by distance of all heads of a layer, page by page.
ViewResult heads_picture(const LayersShown& shown);

}  // namespace ropescope
