// What a config says of the layout of an image or video model: the layout's name and what the model fixes of it. Read
// config.h and core/layouts/layout.h first.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/layouts/layout.h"
#include "core/rotary/spec.h"
#include "core/words.h"

namespace ropescope {

/// What a config.json says about the layout of an image or video model.
struct LayoutConfig {
  std::string layout;  ///< name of the layout, e.g. "flux.1"
  std::string family;  ///< class name or model type of the family, e.g. "FluxTransformer2DModel"
  LayoutRequest
      request;        ///< only what the model fixes: channels, base, patch, sections, position grid, tokens per second
  Words::List notes;  ///< what a reader must know
  bool plain_ladders = true;  ///< parse_model_config describes it too; false: it refuses the file (LTX, DINOv3, SAM 3)
};

/// Parses the text of a config.json; none for a model without an image layout. The layout follows from the class name,
/// or from fields that only one family has (FLUX.1 and FLUX.2 without a class name). Throws InputError: as
/// parse_model_config; a family that is recognised and whose layout is not supported (Cosmos, EVA-02).
std::optional<LayoutConfig> find_layout_config(std::string_view text, const std::string& source);
/// find_layout_config(), which throws InputError for a model without an image layout, too.
LayoutConfig parse_layout_config(std::string_view text, const std::string& source);

/// Whether a config for `found` may be used with the layout `asked`: the same, or a sibling that shares its config
/// (flux.1 and flux.1-kontext).
bool fits_layout(std::string_view found, std::string_view asked);

}  // namespace ropescope
