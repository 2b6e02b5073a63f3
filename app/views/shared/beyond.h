// Cards for images beyond the trained resolution: the unseen range of each axis. The views Layout and Similarity use
// them. Read core/layouts/extension.h first.
#pragma once

#include <vector>

#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/shared/layouts.h"

namespace ropescope {

/// Returns cards for the similarity of neighbours, the distance at which tokens are similar again, and the pairs with
/// unseen phases. Empty if the image is no larger than in training and its axes are the model's own.
std::vector<Readout> beyond_readouts(const LayoutFields& fields, const TokenLayout& layout, const Text& text);

}  // namespace ropescope
