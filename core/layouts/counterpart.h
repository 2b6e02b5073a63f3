#pragma once

#include "core/layouts/layout.h"

namespace ropescope {

/// What to ask another layout for, so that it arranges the same image: the grid of tokens of the arranged image and its
/// references, and of `asked` what the other one looks at (text, frames, base, …). What it does not look at, and a
/// head dimension that it cannot have, keeps the other layout's own value. Throws InputError where one of the two has
/// no image.
LayoutRequest counterpart_request(const TokenLayout& arranged, const LayoutRequest& asked, const Layout& other);

/// The block of the image. Throws InputError where there is none.
const TokenBlock& image_block(const TokenLayout& arranged);

/// Throws InputError unless both images have the same frames, rows and columns of tokens, so that token i of one can
/// stand beside token i of the other.
void require_same_image(const TokenLayout& arranged, const TokenLayout& other);

}  // namespace ropescope
