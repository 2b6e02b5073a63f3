// Options that describe a layout of tokens, for the commands `layout`, `layouts`, `similarity` and `check`. They become
// a LayoutRequest. Read core/layouts/layout.h first.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/options.h"
#include "core/layouts/layout.h"
#include "core/rotary/spec.h"
#include "core/scaling/scaling.h"

namespace ropescope {

/// A layout and its options, shared by all commands about layouts.
struct LayoutOptions {
  std::string name;
  std::optional<std::string> config;
  std::optional<std::string> config_text;  ///< content of `config`, if it is not a separate file
  bool fit = false;                        ///< sizes in pixels are adjusted as in the released pipeline
  std::optional<ImageSize> size, grid;
  std::vector<ImageSize> references;
  std::map<std::string, double, std::less<>> numbers;  ///< those of the fields, by name, and "video_frames"
  std::vector<CustomAxis> axes;
  std::optional<Pairing> pairing;
  const ScalingMethod* scaling = nullptr;
};
/// Adds the options that a rotary embedding does not have (rope_options.h), except the name of the layout.
void add_layout_only_options(Arguments& arguments, LayoutOptions& options);
/// Return what the option of a number or switch ("--frames"), --scaling, and --reference or --reference-grid do.
Arguments::Take field_into(LayoutOptions& options, const std::string& name);
Arguments::Take scaling_into(LayoutOptions& options);
Arguments::Take reference_into(LayoutOptions& options);
/// Returns the list of layouts for --help: "Layouts: text, raster, …".
std::string layout_names();

/// Returns the request from config and options; options have precedence. Throws InputError naming the option or file.
LayoutRequest layout_request(const LayoutOptions& options);
/// Returns the request from the options alone, without the config.
LayoutRequest option_request(const LayoutOptions& options);

}  // namespace ropescope
