// The view Similarity: the similarity of each token of a layout to an anchor. SimilarityInput is the input of its store
// computation. Read view.h and app/store/store.h first.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/shared/layouts.h"
#include "app/views/shared/patches.h"
#include "app/views/view.h"
#include "core/layouts/similarity.h"

namespace ropescope {

// --- Computed ------------------------------------------------------------------------------------------------------

/// Similarity of every token of a layout to an anchor, as maps of its blocks.
struct SimilarityMap {
  std::shared_ptr<const ArrangedLayout> arranged;
  std::int64_t anchor = 0;  ///< token of the main block
  Content content;
  std::string axis;               ///< the axis whose part it is; empty: all axes together
  Eigen::VectorXd values;         ///< [rows of the tables]
  FrameTiles tiles;               ///< visible frames of the main block
  std::vector<SeenBlock> blocks;  ///< one per block of the layout; for the main block, the anchor's frame
  std::vector<std::shared_ptr<const MapCells>> cells;   ///< of all other blocks; NaN past the end of a wrapped line
  std::vector<std::shared_ptr<const MapCells>> frames;  ///< one per tile
  Range range;                                          ///< of all visible values
  double seconds = 0;

  const TokenLayout& layout() const { return arranged->tables->layout(); }
  std::size_t main() const { return main_block(layout()); }
  /// Returns the exact value of a token of a block, counted over all its frames.
  double value(std::size_t block, std::int64_t token) const { return values[layout().blocks[block].first_row + token]; }
  std::size_t bytes() const { return bytes_in(values, cells, frames); }
};

/// The input of a map, computed immediately while an anchor follows the mouse, up to an image of 512 × 512 tokens with
/// an equally large reference; with shared pairs (vit-mixed), up to about 160 × 160 tokens of one 64-channel head.
struct SimilarityInput {
  std::shared_ptr<const ArrangedLayout> arranged;
  std::int64_t anchor = 0;
  std::optional<std::uint64_t> seed;  ///< of random content; nullopt: aligned
  std::string axis;                   ///< an axis that the layout lacks, or whose pairs are shared, means all axes
  std::vector<int> frames = {};       ///< of the main block; empty: the anchor's frame
  bool operator==(const SimilarityInput&) const = default;
  double cost() const;
};
SimilarityMap similarity_map(const SimilarityInput& input, const Work& work);

/// The maximum number of rows of a map; above it a message explains that it would need too much memory and time.
inline constexpr std::int64_t kMaxSimilarityRows = std::int64_t{1} << 24;

// --- Figures -------------------------------------------------------------------------------------------------------

// Pictures of similarity maps, for the Similarity view and the command `similarity`.

/// A layout with its map, or the reason why there is none.
struct SimilaritySide {
  std::string title;                         ///< "FLUX.1"
  std::shared_ptr<const SimilarityMap> map;  ///< null: being computed, or `fault` gives the error
  std::string fault;
  bool stale = false;
};

/// The contents of the pictures. Tokens count from 0 within the image.
struct SimilarityScene {
  std::vector<SimilaritySide> sides;  ///< one, or two over the same patches
  std::vector<std::int64_t> targets;
  std::optional<std::int64_t> pointed;  ///< the patch under the mouse, if it is not the anchor
  bool fitted = false;                  ///< colours from the smallest to the largest value, not −1…1
  const Zooms& zooms;
  const Text& text;
};

/// Returns maps side by side in one colour scale, with the text and references of each below it, and profiles along the
/// anchor's row and column.
std::vector<Panel> similarity_panels(const SimilarityScene& scene);

}  // namespace ropescope
