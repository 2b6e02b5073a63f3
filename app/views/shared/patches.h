// Patches of images on screen: where tokens are seen, what they are called, frames around them, and the cards that
// compare them. Layout, Similarity and Check draw with it. Read core/layouts/layout.h before.
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

// Where the tokens of a layout are seen, what they are called, and what marks them.

/// A block of tokens as it is seen: an image as itself, a line of tokens wrapped like a text. Columns and rows count
/// from 0; a cell reaches half a unit around them.
struct SeenBlock {
  std::size_t block = 0;
  int frame = 0;  ///< of an image: which one is seen
  std::int64_t rows = 1, columns = 1;
  std::int64_t count = 1;  ///< tokens that are seen; the last row of a line may be shorter
  /// Token within the block, its frames included, of the cell at these coordinates; none beside the cells.
  std::optional<std::int64_t> token_at(double x, double y) const;
  /// Whether a token of the block is in this frame, and its cell.
  bool shows(std::int64_t token) const;
  std::int64_t row_of(std::int64_t token) const { return (token - first()) / columns; }
  std::int64_t column_of(std::int64_t token) const { return (token - first()) % columns; }
  std::int64_t first() const { return frame * rows * columns; }
};
/// The block that anchor and targets count in: the image, or the first one where there is none.
std::size_t main_block(const TokenLayout& layout);
/// A frame beyond the last one shows the last one.
SeenBlock seen_block(const TokenLayout& layout, std::size_t block, int frame);
/// Row of ids and tables of a token of the main block.
std::int64_t table_row(const TokenLayout& layout, std::int64_t token);

/// "text", "reference 2".
std::string part_name(const std::string& part, const Text& text);
/// "R2" of a reference, for where many stand side by side.
std::string short_part_name(const std::string& part, const Text& text);
/// "patch 65" of an image, "token 65" of a text: counted from 1, as people do.
std::string token_name(const TokenLayout& layout, std::int64_t token, const Text& text);
/// Where a token of the image is: "row 17, column 41", in a video with its frame.
std::string place_text(const TokenLayout& layout, std::int64_t token, const Text& text);
/// "patch 1 130 · row 17, column 41": the anchor as people and as programs count; "token 5" of a text.
std::string anchor_text(const TokenLayout& layout, std::int64_t anchor, const Text& text);

/// Gives a figure the axes of a view over all columns and, downwards, all rows of a block.
void set_patch_axes(Figure& figure, const std::string& view, const TokenLayout& layout, const SeenBlock& seen,
                    const Text& text);
/// The cells of a block at a place. `value` and `words` are asked for the tokens that are seen.
Map patch_map(const TokenLayout& layout, const SeenBlock& seen, std::shared_ptr<const MapCells> cells,
              const CellPlace& place, std::function<double(std::int64_t token)> value,
              std::function<PlaceWords(std::int64_t token)> words);

/// Colour of the targets' frames (Role::curve): one that no map of these views has much of.
inline constexpr int kTargetSlot = 1;
/// Adds two frames around a token, at least as large as can be seen, one inside the other, so that one of them stands
/// out.
void add_patch_frame(Figure& figure, const SeenBlock& seen, std::int64_t token, Role role, const CellPlace& place = {});

// --- Cards ---------------------------------------------------------------------------------------------------------

/// Which tokens are compared in which layouts. Tokens count from 0 within the image (see main_block).
struct PatchQuestion {
  const TokenLayout& layout;
  std::string title;                   ///< "FLUX.1"
  const TokenLayout* other = nullptr;  ///< over the same patches, to compare with; may be missing
  std::string other_title = {};
  std::int64_t anchor = 0;
  std::vector<std::int64_t> targets = {};
  Content content = {};  ///< empty: aligned
  Content other_content = {};
  bool unrotated_text = false;  ///< there is text in front of the model, but it has no positions
};

/// The cards with both layouts' answers: similarity and difference of ids from the anchor to the first targets, which
/// one is nearer, and where the text stands.
std::vector<Readout> patch_readouts(const PatchQuestion& question, const Text& text);

// --- Frames --------------------------------------------------------------------------------------------------------

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

/// Which of `count` frames are seen together, counted from 0: all, or some from the first to the last with the wanted
/// ones among them.
std::vector<int> shown_frames(int count, const std::vector<int>& wanted);

/// "Wan · t 44, row 42, column 42 · 9 of 21 frames": a title of frames that are some of all.
std::string with_frames(const std::string& title, const FrameTiles& tiles, const Text& text);
/// Adds the numbers of the frames, counted from 1; that of the frame which holds this token stands out.
void add_captions(Figure& figure, const FrameTiles& tiles, std::int64_t token, const Text& text);
/// Lets the axes reach over all frames; only the first one is counted along.
void fit_tiles(Figure& figure, const FrameTiles& tiles);
/// Adds frames around a token, as add_patch_frame(), in the tile where it is seen, if it is.
void add_tile_frame(Figure& figure, const FrameTiles& tiles, std::int64_t token, Role role);

}  // namespace ropescope
