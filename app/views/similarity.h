// The view Similarity: how similar each token of a layout is to an anchor. SimilarityInput says what the store
// computes; kSimilarityView is what view.cpp lists. Read view.h and app/store/store.h before.
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
  std::string axis;               ///< whose part it is; empty: all axes together
  Eigen::VectorXd values;         ///< [rows of the tables]
  FrameTiles tiles;               ///< frames of the main block that are seen
  std::vector<SeenBlock> blocks;  ///< one for each block of the layout; of the main one the anchor's frame
  std::vector<std::shared_ptr<const MapCells>> cells;   ///< of each but the main one; the end of a wrapped line is NaN
  std::vector<std::shared_ptr<const MapCells>> frames;  ///< of each tile
  Range range;                                          ///< of all that is seen
  double seconds = 0;

  const TokenLayout& layout() const { return arranged->tables->layout(); }
  std::size_t main() const { return main_block(layout()); }
  /// The exact value of a token of a block, its frames included.
  double value(std::size_t block, std::int64_t token) const { return values[layout().blocks[block].first_row + token]; }
  std::size_t bytes() const { return bytes_in(values, cells, frames); }
};

/// Asks for a map, which is made on the spot while an anchor follows the mouse, up to an image of 512 × 512 tokens with
/// a reference as large; of axes that share their pairs (vit-mixed) some 160 × 160 tokens of one head of 64 channels.
struct SimilarityInput {
  std::shared_ptr<const ArrangedLayout> arranged;
  std::int64_t anchor = 0;
  std::optional<std::uint64_t> seed;  ///< of random content; none: aligned
  std::string axis;                   ///< one that the layout has not, or shares pairs, stands for all
  std::vector<int> frames = {};       ///< of the main block; none: that of the anchor
  bool operator==(const SimilarityInput&) const = default;
  double cost() const;
};
SimilarityMap similarity_map(const SimilarityInput& input, const Work& work);

/// The most rows of which there is a map; beyond them a message says so, as it would take too much memory and time.
inline constexpr std::int64_t kMostSimilarityRows = std::int64_t{1} << 24;

// --- Figures -------------------------------------------------------------------------------------------------------

// Pictures of similarity maps: for the Similarity view and for the command of that name.

/// One layout: its map, or why there is none.
struct SimilaritySide {
  std::string title;                         ///< "FLUX.1"
  std::shared_ptr<const SimilarityMap> map;  ///< null: being computed, or the fault says what is wrong
  std::string fault;
  bool stale = false;
};

/// What is drawn. Tokens count from 0 within the image.
struct SimilarityScene {
  std::vector<SimilaritySide> sides;  ///< one, or two over the same patches
  std::vector<std::int64_t> targets;
  std::optional<std::int64_t> pointed;  ///< the patch under the mouse, where it is not the anchor
  bool fitted = false;                  ///< colours from the smallest to the largest value instead of −1…1
  std::optional<Range> row_range, column_range, profile_range, value_range;
  const Text& text;
};

/// Maps side by side in one colour scale, text and references of each under it, and profiles along the anchor's row and
/// down its column.
std::vector<Panel> similarity_panels(const SimilarityScene& scene);

// --- View ----------------------------------------------------------------------------------------------------------

/// How similar every token is to an anchor that follows the mouse: in the chosen layout, and in another one beside it.
/// A click keeps the anchor that followed the mouse; once it is kept, clicks choose anchor and targets (click_token).
extern const View kSimilarityView;

}  // namespace ropescope
