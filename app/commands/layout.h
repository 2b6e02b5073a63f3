// Options that describe a layout of tokens, for the commands `layout`, `layouts` and `similarity` and for `check`. They
// become a LayoutRequest of core/layouts, which is to be read before.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/options.h"
#include "core/layouts/layout.h"

namespace ropescope {

/// A layout and what it is asked for, as given: what every command about layouts shares.
struct LayoutOptions {
  std::string name;
  std::optional<std::string> size, grid, video_frames, config, axes, pairing, scaling;
  std::optional<std::string> config_text;  ///< what `config` holds, where that is no file of its own
  bool fit = false;                        ///< sizes in pixels are made what the released pipeline makes of them
  GivenFields settings;                    ///< numbers
  std::vector<std::pair<std::string, std::string>> references;  ///< "--reference" or "--reference-grid", and its value
};
/// Adds the options that a rotary embedding does not have too (rope_options.h), without the name of the layout.
void add_layout_only_options(Arguments& arguments, LayoutOptions& options);
/// The first of the options of add_layout_only_options that is given; empty: none.
std::string first_layout_option(const LayoutOptions& options);
/// The list of layouts for --help: "Layouts: text, raster, …".
std::string layout_names();

/// The request with what config and options say; options win. Throws InputError that names the option or the file.
LayoutRequest layout_request(const LayoutOptions& options);
/// The request without the config: only what the options themselves say.
LayoutRequest option_request(const LayoutOptions& options);

}  // namespace ropescope
