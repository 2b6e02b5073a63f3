#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/shared/maps.h"
#include "app/views/shared/patches.h"

namespace ropescope {

/// Frames of a block as they are seen: one, or several side by side in the coordinates of one figure, the first one
/// where it would stand alone. Below each of several is its caption.
struct FrameTiles {
  std::vector<SeenBlock> frames;  ///< at least one, in their order
  int all = 1;                    ///< frames of the block
  std::size_t across = 1;         ///< frames in a row

  bool several() const { return frames.size() > 1; }
  CellPlace place(std::size_t tile) const;
  /// What all of them fill, in cells, captions included.
  double width() const;
  double height() const;
  /// Token within the block at these coordinates; none beside the cells.
  std::optional<std::int64_t> token_at(double x, double y) const;
  /// Where a token is seen; none: its frame is not shown.
  std::optional<std::size_t> tile_of(std::int64_t token) const;
};
FrameTiles frame_tiles(const TokenLayout& layout, std::size_t block, const std::vector<int>& frames);

/// Frames of so many that are seen together, from 0: all, or some from the first to the last with the wanted ones
/// among them.
std::vector<int> shown_frames(int count, const std::vector<int>& wanted);

/// "Wan · t 44, row 42, column 42 · 9 of 21 frames": a title of frames that are some of all.
std::string with_frames(const std::string& title, const FrameTiles& tiles, const Text& text);
/// Their numbers, counted from 1; that of the frame that holds this token stands out.
void add_captions(Figure& figure, const FrameTiles& tiles, std::int64_t token, const Text& text);
/// The axes reach over all frames; only along the first one is counted.
void fit_tiles(Figure& figure, const FrameTiles& tiles);
/// add_patch_frame() where the token is seen, if it is.
void add_tile_frame(Figure& figure, const FrameTiles& tiles, std::int64_t token, Role role);

}  // namespace ropescope
