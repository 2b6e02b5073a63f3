#pragma once

#include "app/views/similarity/figures.h"

namespace ropescope {

// Parts of the pictures of similarity maps. Not for others.

/// The map of a block in the colours of the scene, with the exact values and what the card says.
Map similarity_block(const SimilarityScene& scene, std::size_t side, std::size_t block, const CellPlace& place);
/// The frames of the main block that are seen, as such maps with one colour bar.
std::vector<Map> similarity_frames(const SimilarityScene& scene, std::size_t side);

/// Adds text, references and padding of a side below its image, or beside a tall one, and makes room for them in the
/// axes, which fit the image before.
void add_parts(Figure& figure, const SimilarityScene& scene, std::size_t side);

}  // namespace ropescope
