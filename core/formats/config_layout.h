// Layouts of image and video models from their configs: the layout's name and the settings that the model fixes. Read
// config.h and core/layouts/layout.h first.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/layouts/layout.h"
#include "core/message.h"
#include "core/rotary/spec.h"

namespace ropescope {

/// The layout that the config.json of an image or video model describes.
struct LayoutConfig {
  std::string layout;  ///< name of the layout, e.g. "flux.1"
  std::string family;  ///< class name or model type of the family, e.g. "FluxTransformer2DModel"
  LayoutRequest
      request;  ///< values that the model fixes: channels, base, patch, sections, position grid, tokens per second
  Message::List notes;        ///< remarks for the reader
  bool plain_ladders = true;  ///< parse_model_config() supports the file too; false: it rejects it (LTX, DINOv3, SAM 3)
};

/// Parses the text of a config.json; nullopt for a model without an image layout. The layout follows from the class
/// name, or from fields that only one family has (FLUX.1 and FLUX.2 without a class name). Throws InputError as
/// parse_model_config(), and for a recognised family whose layout is not supported (Cosmos, EVA-02).
std::optional<LayoutConfig> find_layout_config(std::string_view text, const std::string& source);
/// Calls find_layout_config(), and throws InputError for a model without an image layout too.
LayoutConfig parse_layout_config(std::string_view text, const std::string& source);

/// Returns whether a config for the layout `found` may be used with `asked`: they are equal, or siblings that share
/// their configs (flux.1 and flux.1-kontext).
bool fits_layout(std::string_view found, std::string_view asked);

}  // namespace ropescope
