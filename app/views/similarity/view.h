#pragma once

#include "app/views/view.h"

namespace ropescope {

/// How similar every token is to an anchor that follows the mouse: in the chosen layout, and in another one beside it.
/// A click keeps the anchor that followed the mouse; once it is kept, clicks choose anchor and targets (click_token).
extern const View kSimilarityView;

}  // namespace ropescope
