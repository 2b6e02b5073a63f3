// What released pipelines make of sizes in pixels: rounded down to whole tokens, scaled to an area, or refused. Read
// layout.h first; arrange() asks for it.
#pragma once

#include <optional>
#include <vector>

#include "core/layouts/layout.h"
#include "core/words.h"

namespace ropescope {

/// What the pipeline makes of an image of that size in pixels: scaled to its area (PipelineSizes::pixels), then sides
/// rounded down to whole tokens. None where no pipeline is known, and where nothing is left of a side.
std::optional<ImageSize> released_size(const Layout& layout, const LayoutRequest& request, const ImageSize& size);

/// Whether the pipeline itself refuses the size: a side is no multiple of PipelineSizes::multiple.
bool is_refused(const Layout& layout, const ImageSize& size);

/// The request with references in pixels, and with LayoutRequest::fit the image, as the pipeline makes them; what it
/// changes is noted. Throws InputError where the image is to fit and no pipeline is known.
LayoutRequest as_released(const Layout& layout, const LayoutRequest& request, std::vector<Words>& notes);

}  // namespace ropescope
