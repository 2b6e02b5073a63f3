// What the views of images share: the layout of the fields, arranged once in the store, and layouts from configs. Read
// core/layouts/layout.h and LayoutFields in app/experiment/experiment.h before; patches.h shows the tokens.
#pragma once

#include <cstdint>
#include <memory>
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

// What the views of images share: the layout of the fields, arranged once.

/// What the chosen layout is asked for, by those of the fields that it looks at. Throws InputError where a list among
/// them cannot be read.
LayoutRequest request_of(const LayoutFields& fields);

/// An arranged layout and its tables.
struct ArrangedLayout {
  const Layout* layout = nullptr;              ///< the family
  std::shared_ptr<const LayoutTables> tables;  ///< tables->layout() is the arrangement
  int pixels_per_token = 1;
  std::size_t bytes() const;
};

/// Arranges a layout and makes its tables. Throws InputError as arrange().
std::shared_ptr<const ArrangedLayout> arranged_layout(const Layout& layout, const LayoutRequest& request);

/// The fields of what is to be arranged: not the anchor, nor colours.
struct LayoutToArrange {
  explicit LayoutToArrange(const LayoutFields& chosen, std::string other = {});
  LayoutFields fields;
  std::string other;  ///< name of another layout over the same patches (counterpart_request), to compare with; or empty
  bool operator==(const LayoutToArrange&) const = default;
  double cost() const;
};
/// Throws InputError as arrange().
std::shared_ptr<const ArrangedLayout> arranged_from(const LayoutToArrange& from, const Work& work);
Store::Answer<ArrangedLayout> ask_layout(Store& store, const std::string& slot, const LayoutToArrange& from);

/// The main block in the frame of the fields.
SeenBlock main_seen(const LayoutFields& fields, const TokenLayout& layout);
/// Frames of the main block that are seen together: those of the fields and of their anchor are among them.
std::vector<int> seen_frames(const LayoutFields& fields, const TokenLayout& layout);
FrameTiles main_tiles(const LayoutFields& fields, const TokenLayout& layout);
/// The anchor of the fields; the last token where there are fewer.
std::int64_t anchor_of(const LayoutFields& fields, const TokenLayout& layout);
/// The targets of the fields in the order of the text, those beyond the last token left out. Throws InputError where
/// the list cannot be read.
std::vector<std::int64_t> targets_of(const LayoutFields& fields, const TokenLayout& layout);
/// A click on a token of the main block: the anchor where there are targets already, else its target; "extra" clicks
/// add a target or take it away.
void click_token(LayoutFields& fields, std::int64_t token);

/// What the controls have to choose from.
LayoutControls controls_of(const LayoutFields& fields, bool colouring);

/// "FLUX.1 · 1 024 × 1 024 · 512 text tokens", for the top bar.
std::string layout_subject(const Experiment& experiment, const Text& text);
/// "t 16 · row 56 · column 56": the axes with their dimensions.
std::string axes_text(const TokenLayout& layout, const Text& text);
/// "base 10 000", "base t 10 000, row 2 000" where axes differ, "no base".
std::string base_text(const TokenLayout& layout, const Text& text);
/// View::shows_layout of a view that shows nothing else.
bool looks_at_layout(const Experiment& experiment);

/// Fills the fields with what a config fixes; sides in pixels go to the nearest that its patches divide.
void take_layout_config(const LayoutConfig& config, const std::string& path, LayoutFields& fields);
/// View::take_config of the views that look at the layout.
void fill_layout(Experiment& experiment, const std::string& path);
/// Takes the config.json or the folder of an image or video model into the layout's fields, where a view of images is
/// shown or where nothing but a layout is in it. False: no such config. Throws InputError where its family has no
/// layout here.
bool open_layout_config(Experiment& experiment, const std::string& path);

}  // namespace ropescope
