// Options that describe a layout of tokens, for the commands `layout`, `layouts`, `similarity` and `check`. They become
// a LayoutRequest. Read core/layouts/layout.h first.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/options.h"
#include "core/layouts/layout.h"

namespace ropescope {

/// A layout and its options, as given, shared by all commands about layouts.
struct LayoutOptions {
  std::string name;
  std::optional<std::string> config;
  std::optional<std::string> config_text;  ///< content of `config`, if it is not a separate file
  bool fit = false;                        ///< sizes in pixels are adjusted as in the released pipeline
  GivenFields settings;  ///< fields, and "size", "grid", "video_frames", "axes", "pairing" and "scaling"
  std::vector<std::pair<std::string, std::string>> references;  ///< "--reference" or "--reference-grid", and its value

  bool has_size() const { return settings.find("size") || settings.find("grid"); }
};
/// Adds the options that a rotary embedding does not have (rope_options.h), except the name of the layout.
void add_layout_only_options(Arguments& arguments, LayoutOptions& options);
/// Returns the first given option of add_layout_only_options(); empty if there is none.
std::string first_layout_option(const LayoutOptions& options);
/// Returns the list of layouts for --help: "Layouts: text, raster, …".
std::string layout_names();

/// Returns the request from config and options; options have precedence. Throws InputError naming the option or file.
LayoutRequest layout_request(const LayoutOptions& options);
/// Returns the request from the options alone, without the config.
LayoutRequest option_request(const LayoutOptions& options);

}  // namespace ropescope
