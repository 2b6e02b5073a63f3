// Layouts on screen.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/resources/text.h"
#include "app/store/store.h"
#include "app/views/shared/patches.h"
#include "core/formats/config_layout.h"
#include "core/layouts/layout.h"
#include "core/layouts/tables.h"

namespace ropescope {

// What the views of images share: the layout of the knobs, arranged once.

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

/// Throws InputError as arrange().
std::shared_ptr<const ArrangedLayout> arranged_layout(const Layout& layout, const LayoutRequest& request);

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

/// The main block in the frame of the knobs.
SeenBlock main_seen(const LayoutKnobs& knobs, const TokenLayout& layout);
/// Frames of the main block that are seen together: those of the knobs and of their anchor are among them.
std::vector<int> seen_frames(const LayoutKnobs& knobs, const TokenLayout& layout);
FrameTiles main_tiles(const LayoutKnobs& knobs, const TokenLayout& layout);
/// The anchor of the knobs; the last token where there are fewer.
std::int64_t anchor_of(const LayoutKnobs& knobs, const TokenLayout& layout);
/// Their targets in the order of the text, those beyond the last token left out. Throws InputError where the list
/// cannot be read.
std::vector<std::int64_t> targets_of(const LayoutKnobs& knobs, const TokenLayout& layout);
/// A click on a token of the main block: the anchor where there are targets already, else its target; "extra" clicks
/// add a target or take it away.
void click_token(LayoutKnobs& knobs, std::int64_t token);

/// What the controls have to choose from.
LayoutControls controls_of(const LayoutKnobs& knobs, bool colouring);

/// "FLUX.1 · 1 024 × 1 024 · 512 text tokens", for the top bar.
std::string layout_subject(const Experiment& experiment, const Text& text);
/// "t 16 · row 56 · column 56": the axes with their dimensions.
std::string axes_text(const TokenLayout& layout, const Text& text);
/// "base 10 000", "base t 10 000, row 2 000" where axes differ, "no base".
std::string base_text(const TokenLayout& layout, const Text& text);
/// View::shows_layout of a view that shows nothing else.
bool looks_at_layout(const Experiment& experiment);

/// Fills the knobs with what a config fixes; sides in pixels go to the nearest that its patches divide.
void take_layout_config(const LayoutConfig& config, const std::string& path, LayoutKnobs& knobs);
/// View::take_config of the views that look at the layout.
void fill_layout(Experiment& experiment, const std::string& path);
/// Takes the config.json or the folder of an image or video model into the layout's knobs, where a view of images is
/// shown or where nothing but a layout is in it. False: no such config. Throws InputError where its family has no
/// layout here.
bool open_layout_config(Experiment& experiment, const std::string& path);

}  // namespace ropescope
