#pragma once

#include <vector>

#include "core/check/specs/compare_specs.h"
#include "core/layouts/layout.h"

namespace ropescope {

/// A layout and what a model fixes of it; its image has no size yet.
struct FixedLayout {
  const Layout* layout = nullptr;
  LayoutRequest request;
};

/// What differs in where two layouts put the tokens of the same image of 24 × 40 tokens (with 16 of text and 3 frames
/// where both take them) and in what turns by it: axes, bases, ladders, sections, pairing, ids. Its change is that of
/// the similarity of the first token of the image to all others, of everything together; a distance is the larger one
/// of rows and columns, in the text the number of the token. A number of pixels per token that differs is a note.
/// Empty: none. Throws InputError as arrange().
std::vector<SpecDifference> compare_layouts(const FixedLayout& a, const FixedLayout& b);

}  // namespace ropescope
