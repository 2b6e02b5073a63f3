// Cards of a picture beyond the trained resolution: what it asks of each axis that training did not show. Read
// core/layouts/extension.h before; Layout and Similarity show them.
#pragma once

#include <vector>

#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/shared/layouts.h"

namespace ropescope {

/// Neighbours' similarity, where tokens are similar again, pairs with unseen phases; none of a picture that is no
/// larger than those of training and whose axes are as the model has them.
std::vector<Readout> beyond_readouts(const LayoutFields& fields, const TokenLayout& layout, const Text& text);

}  // namespace ropescope
