// Patches of images on screen: token cells, names, marking frames, and the cards that compare tokens. Used by Layout,
// Similarity and Check. Read core/layouts/layout.h first.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/shared/figures.h"
#include "core/decay/kernel.h"
#include "core/layouts/layout.h"

namespace ropescope {

// --- Patches -------------------------------------------------------------------------------------------------------

// Cells, names and marks of the tokens of a layout.

/// A block of tokens on screen: an image as is, or a line of tokens wrapped like text. Columns and rows count from
/// 0; a cell extends half a unit around them.
struct SeenBlock {
  std::size_t block = 0;
  int frame = 0;  ///< of an image: the visible one
  std::int64_t rows = 1, columns = 1;
  std::int64_t count = 1;  ///< visible tokens; the last row of a line may be shorter
  /// Returns the token of the cell at these coordinates, counted within the block over all frames; nullopt outside.
  std::optional<std::int64_t> token_at(double x, double y) const;
  /// Returns whether a token of the block is in this frame; row_of() and column_of() give its cell.
  bool shows(std::int64_t token) const;
  std::int64_t row_of(std::int64_t token) const { return (token - first()) / columns; }
  std::int64_t column_of(std::int64_t token) const { return (token - first()) % columns; }
  std::int64_t first() const { return frame * rows * columns; }
};
/// Returns the block in which anchor and targets are counted: the image, or the first block if there is no image.
std::size_t main_block(const TokenLayout& layout);
/// Returns a block on screen. A frame beyond the last is replaced by the last.
SeenBlock find_seen_block(const TokenLayout& layout, std::size_t block, int frame);
/// Returns the row in ids and tables of a token of the main block.
std::int64_t table_row(const TokenLayout& layout, std::int64_t token);

/// Returns the name of a part: "text", "reference 2".
std::string part_name(const std::string& part, const Text& text);
/// Returns a short name, "R2" for a reference, for use where many are side by side.
std::string short_part_name(const std::string& part, const Text& text);
/// Returns "patch 65" for an image or "token 65" for a text, counted from 1.
std::string token_name(const TokenLayout& layout, std::int64_t token, const Text& text);
/// Returns the place of an image token: "row 17, column 41", with its frame for a video.
std::string place_text(const TokenLayout& layout, std::int64_t token, const Text& text);
/// Returns "patch 1 130 · row 17, column 41", the anchor counted from 1 and from 0; "token 5" for a text.
std::string anchor_text(const TokenLayout& layout, std::int64_t anchor, const Text& text);

/// Sets the axes of a view's figure to all columns and, downwards, all rows of a block.
void set_patch_axes(Figure& figure, const std::string& view, const TokenLayout& layout, const SeenBlock& seen,
                    const Text& text);
/// Returns the cells of a block at a place. `value` and `words` are called with the visible tokens.
Map patch_map(const TokenLayout& layout, const SeenBlock& seen, std::shared_ptr<const MapCells> cells,
              const CellPlace& place, std::function<double(std::int64_t token)> value,
              std::function<PlaceWords(std::int64_t token)> words);

/// Colour of the targets' frames (Role::curve), chosen to be rare in the maps of these views.
inline constexpr int kTargetSlot = 1;
/// Adds two nested frames around a token, large enough to be visible; their colours differ so that one contrasts with
/// any map.
void add_patch_frame(Figure& figure, const SeenBlock& seen, std::int64_t token, Role role, const CellPlace& place = {});

// --- Cards ---------------------------------------------------------------------------------------------------------

/// The layout to compare with: image tokens numbered row by row.
inline constexpr const char* kRaster = "raster";

/// Tokens to compare and the layouts to compare them in. Tokens count from 0 within the image (see main_block).
struct PatchQuestion {
  const TokenLayout& layout;
  std::string title;                   ///< "FLUX.1"
  const TokenLayout* other = nullptr;  ///< over the same patches, to compare with; may be null
  std::string other_title = {};
  std::int64_t anchor = 0;
  std::vector<std::int64_t> targets = {};
  Content content = {};  ///< empty: aligned
  Content other_content = {};
  bool unrotated_text = false;  ///< the model prepends text, but without positions
};

/// Returns the cards for both layouts: similarity and id difference from the anchor to the first targets, the nearer
/// target, and the place of the text.
std::vector<Readout> patch_readouts(const PatchQuestion& question, const Text& text);

// --- Frames --------------------------------------------------------------------------------------------------------

/// Frames of a block on screen: one, or several side by side in one figure's coordinates, the first at the same place
/// as a single frame. If there are several, each has a caption below it.
struct FrameTiles {
  std::vector<SeenBlock> frames;  ///< at least one, in order
  int all = 1;                    ///< frames of the block
  std::size_t across = 1;         ///< frames per row

  bool several() const { return frames.size() > 1; }
  CellPlace place(std::size_t tile) const;
  /// Extent of all frames in cells, including captions.
  double width() const;
  double height() const;
  /// Returns the token within the block at these coordinates; nullopt outside the cells.
  std::optional<std::int64_t> token_at(double x, double y) const;
  /// Returns the tile that shows a token; nullopt if its frame is not shown.
  std::optional<std::size_t> tile_of(std::int64_t token) const;
};
FrameTiles frame_tiles(const TokenLayout& layout, std::size_t block, const std::vector<int>& frames);

/// Returns which of `count` frames, counted from 0, are shown together: all, or a selection from the first to the last
/// that includes the wanted ones.
std::vector<int> shown_frames(int count, const std::vector<int>& wanted);

/// Returns a title with its number of frames if not all are shown: "Wan · t 44, row 42, column 42 · 9 of 21 frames".
std::string add_frame_count(const std::string& title, const FrameTiles& tiles, const Text& text);
/// Adds the numbers of the frames, counted from 1; that of the frame with this token is emphasised.
void add_captions(Figure& figure, const FrameTiles& tiles, std::int64_t token, const Text& text);
/// Extends the axes over all frames; only the first frame has ticks.
void fit_tiles(Figure& figure, const FrameTiles& tiles);
/// Adds frames around a token as add_patch_frame() does, in the tile that shows it, if any.
void add_tile_frame(Figure& figure, const FrameTiles& tiles, std::int64_t token, Role role);

}  // namespace ropescope
