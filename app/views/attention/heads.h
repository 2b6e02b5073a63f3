// Pictures of heads: the weights of attention of one head, and the scores by distance of all heads of a file. Parts of
// the view Attention; view.cpp and layers.cpp choose between them and those of figures.h and words.h.
#pragma once

#include "app/figure/figure.h"

namespace ropescope {

struct AttentionShown;
struct LayersShown;

/// The picture "weights" of AttentionFields::show. Where nothing has been computed yet it is empty and stale; what
/// cannot be computed is a message in its place.
ViewResult attention_weights(const AttentionShown& shown);

/// The mean scores by distance of all heads of a layer, page by page.
ViewResult heads_picture(const LayersShown& shown);

}  // namespace ropescope
