// Layouts for the views of images: the layout of the fields, arranged once in the store, and layouts from configs.
// patches.h shows the tokens. Read core/layouts/layout.h and LayoutFields in app/experiment/experiment.h first.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/files.h"
#include "app/resources/text.h"
#include "app/store/store.h"
#include "app/views/shared/patches.h"
#include "core/formats/config_layout.h"
#include "core/layouts/layout.h"
#include "core/layouts/tables.h"

namespace ropescope {

// The arranged layout of the fields, shared by all views of images.

/// Returns the request to the selected layout, from the fields that it uses. Throws InputError if a list among them
/// cannot be parsed.
LayoutRequest request_of(const LayoutFields& fields);

/// An arranged layout and its tables.
struct ArrangedLayout {
  const Layout* layout = nullptr;              ///< the layout family
  std::shared_ptr<const LayoutTables> tables;  ///< tables->layout() is the arrangement
  int pixels_per_token = 1;
  std::size_t bytes() const;
};

/// Arranges a layout and computes its tables. Throws InputError as arrange() does.
std::shared_ptr<const ArrangedLayout> try_arrange(const Layout& layout, const LayoutRequest& request);

/// The fields that determine an arrangement: without the anchor and colours.
struct LayoutToArrange {
  explicit LayoutToArrange(const LayoutFields& chosen, std::string other = {});
  LayoutFields fields;
  std::string other;  ///< name of another layout over the same patches (counterpart_request), to compare with; or empty
  bool operator==(const LayoutToArrange&) const = default;
  double cost() const;
};
/// Arranges the layout of these fields in the store. Throws InputError as arrange() does.
std::shared_ptr<const ArrangedLayout> arrange_layouts(const LayoutToArrange& from, const Work& work);
Store::Answer<ArrangedLayout> ask_layout(Store& store, const std::string& slot, const LayoutToArrange& from);

/// Returns the main block in the frame of the fields.
SeenBlock main_seen(const LayoutFields& fields, const TokenLayout& layout);
/// Returns the frames of the main block to show together, including the frame of the fields and that of their anchor.
std::vector<int> visible_frames(const LayoutFields& fields, const TokenLayout& layout);
FrameTiles main_tiles(const LayoutFields& fields, const TokenLayout& layout);
/// Returns the anchor of the fields, or the last token if the anchor is beyond it.
std::int64_t anchor_of(const LayoutFields& fields, const TokenLayout& layout);
/// Returns the targets of the fields in the order of the text, without those beyond the last token. Throws InputError
/// if the list cannot be parsed.
std::vector<std::int64_t> targets_of(const LayoutFields& fields, const TokenLayout& layout);
/// Handles a click on a token of the main block: sets the anchor if there are targets already, otherwise its target. An
/// "extra" click adds or removes a target.
void click_token(LayoutFields& fields, std::int64_t token);

/// Returns the choices that the controls offer.
LayoutControls controls_of(const LayoutFields& fields, bool colouring);

/// Returns the top bar's subject: "FLUX.1 · 1 024 × 1 024 · 512 text tokens".
std::string layout_subject(const Experiment& experiment, const Text& text);
/// Returns the axes with their dimensions: "t 16 · row 56 · column 56".
std::string axes_text(const TokenLayout& layout, const Text& text);
/// Returns "base 10 000", "base t 10 000, row 2 000" if the axes differ, or "no base".
std::string base_text(const TokenLayout& layout, const Text& text);
/// View::shows_layout for a view that shows only layouts.
bool uses_layout(const Experiment& experiment);

/// Loads the photograph from a file. Throws InputError if the file cannot be read as one.
std::shared_ptr<const Pixels> photograph_of(const FileStamp& file, const Work& work);
/// View::check for the views of layouts: throws InputError if the layout's fields cannot be shown; the window shows
/// this message in place of the figures.
void check_layout(const Experiment& experiment);

/// Fills the fields from a config; sides in pixels are set to the nearest multiple of its patch size.
void take_layout_config(const LayoutConfig& config, const std::string& path, LayoutFields& fields);
/// View::take_config for the views of layouts.
void fill_layout(Experiment& experiment, const std::string& path);
/// Opens an image or video model's config.json or folder for the layout's fields if the current view shows images or
/// the config contains only a layout. Returns false if it is not such a config. Throws InputError if its family has no
/// layout here.
bool open_layout_config(Experiment& experiment, const std::string& path);

/// Returns cards for the similarity of neighbours, the distance at which tokens are similar again, and the pairs with
/// unseen phases. Empty if the image is no larger than in training and its axes are the model's own.
std::vector<Readout> beyond_readouts(const LayoutFields& fields, const TokenLayout& layout, const Text& text);

}  // namespace ropescope
