#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/views/layout/inputs.h"

namespace ropescope {

// Parts of the Layout view. Not for others.

struct LayoutShown {
  const LayoutKnobs& knobs;
  const Text& text;
  std::shared_ptr<const LayoutCells> cells;
  std::shared_ptr<const Pixels> picture;  ///< may be missing
  std::int64_t anchor = 0;
  std::vector<std::int64_t> targets;

  const TokenLayout& layout() const { return cells->arranged->tables->layout(); }
  std::size_t main() const { return main_block(layout()); }
};

/// The map of a block, with the exact values and what the card says.
Map block_map(const LayoutShown& shown, std::size_t block, const CellPlace& place);

/// The image with its patches.
Figure image_figure(const LayoutShown& shown);
/// Text, references and padding beside it, or below it.
Figure parts_figure(const LayoutShown& shown, bool below);
/// Whether there are any.
bool has_parts(const LayoutShown& shown);
/// Whether the image is so much wider than high that they stand better below it.
bool is_wide(const LayoutShown& shown);
/// Width of the parts beside the image, in widths of the image; their height below it, in heights of the image.
double parts_width(const LayoutShown& shown);
double parts_height(const LayoutShown& shown);

}  // namespace ropescope
