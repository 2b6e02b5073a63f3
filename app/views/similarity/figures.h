#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/similarity/inputs.h"

namespace ropescope {

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

/// From −1 to 1, or over the values of all sides.
Range similarity_colours(const SimilarityScene& scene);

}  // namespace ropescope
