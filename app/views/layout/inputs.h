#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/resources/text.h"
#include "app/store/store.h"
#include "core/formats/config_layout.h"
#include "core/layouts/layout.h"
#include "core/layouts/tables.h"

namespace ropescope {

// What the views of images share: the layout of the knobs, arranged once, and where its tokens are seen.

/// What the chosen layout is asked for: of the knobs those that it looks at. Throws InputError: a list of the knobs
/// cannot be read.
LayoutRequest request_of(const LayoutKnobs& knobs);

/// An arranged layout and its tables, or why there is none.
struct ArrangedLayout {
  Words fault;                                 ///< nothing else counts where this is said
  const Layout* layout = nullptr;              ///< the family
  std::shared_ptr<const LayoutTables> tables;  ///< tables->layout() is the arrangement
  int pixels_per_token = 1;
  std::size_t bytes() const;
};

/// Arranges the layout of the knobs. Only what changes the arrangement is compared: not the anchor, nor colours.
struct LayoutInput {
  using Result = ArrangedLayout;
  explicit LayoutInput(const LayoutKnobs& chosen);
  LayoutKnobs knobs;
  bool operator==(const LayoutInput&) const = default;
  double cost() const;
  std::shared_ptr<const ArrangedLayout> compute(int threads, const std::stop_token& stop) const;
};

/// Arranges another layout over the same patches (counterpart_request), to compare with.
struct CounterpartInput {
  using Result = ArrangedLayout;
  CounterpartInput(const LayoutKnobs& chosen, std::string name);
  LayoutKnobs knobs;
  std::string other;  ///< name of the other layout
  bool operator==(const CounterpartInput&) const = default;
  double cost() const;
  std::shared_ptr<const ArrangedLayout> compute(int threads, const std::stop_token& stop) const;
};

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
/// The main block in the frame of the knobs.
SeenBlock main_seen(const LayoutKnobs& knobs, const TokenLayout& layout);
/// Row of ids and tables of a token of the main block.
std::int64_t table_row(const TokenLayout& layout, std::int64_t token);

/// The anchor of the knobs; the last token where there are fewer.
std::int64_t anchor_of(const LayoutKnobs& knobs, const TokenLayout& layout);
/// Their targets in the order of the text, those beyond the last token left out. Throws InputError where the list
/// cannot be read.
std::vector<std::int64_t> targets_of(const LayoutKnobs& knobs, const TokenLayout& layout);
/// "63,64".
std::string write_targets(const std::vector<std::int64_t>& targets);
/// A click on a token of the main block: the anchor where there are targets already, else its target; "extra" clicks
/// add a target or take it away.
void click_token(LayoutKnobs& knobs, std::int64_t token);

/// What the controls have to choose from.
LayoutControls controls_of(const LayoutKnobs& knobs, bool colouring);

/// "FLUX.1 · 1 024 × 1 024 · 512 text tokens", for the top bar.
std::string layout_subject(const Experiment& experiment, const Text& text);
/// "t 16 · row 56 · column 56": the axes with their dimensions.
std::string axes_text(const TokenLayout& layout, const Text& text);
/// The text with {number} of which these are made.
std::string token_name_key(const TokenLayout& layout);
/// "patch 65" of an image, "token 65" of a text: counted from 1, as people do.
std::string token_name(const TokenLayout& layout, std::int64_t token, const Text& text);

/// Fills the knobs with what a config fixes; sides in pixels go to the nearest that its patches divide.
void take_layout_config(const LayoutConfig& config, const std::string& path, LayoutKnobs& knobs);
/// View::take_config of the views that look at the layout.
void fill_layout(Experiment& experiment, const std::string& text, const std::string& path);
/// Takes the config.json of an image or video model into the layout's knobs, where a view of images is shown or where
/// nothing but a layout is in it; keeps the view where it is one of images. False: no such config. Throws InputError
/// where its family has no layout here.
bool open_layout_config(Experiment& experiment, const std::string& path);

}  // namespace ropescope
