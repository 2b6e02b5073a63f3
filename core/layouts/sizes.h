// How released pipelines adjust sizes in pixels: rounding down to whole tokens, scaling to an area, or rejection. Used
// by arrange(). Read layout.h first.
#pragma once

#include <optional>
#include <vector>

#include "core/layouts/layout.h"
#include "core/message.h"

namespace ropescope {

/// Returns the pipeline's size for an image of that size in pixels: scaled to its area (PipelineSizes::pixels), then
/// sides rounded down to whole tokens. nullopt if no pipeline is known, or if a side would be empty.
std::optional<ImageSize> released_size(const Layout& layout, const LayoutRequest& request, const ImageSize& size);

/// Returns whether the pipeline itself rejects the size: a side is not a multiple of PipelineSizes::multiple.
bool is_refused(const Layout& layout, const ImageSize& size);

/// Returns the request with the pixel sizes of references, and with LayoutRequest::fit also of the image, adjusted as
/// the pipeline does. Changes are noted. Throws InputError if the image is to be fitted and no pipeline is known.
LayoutRequest apply_pipeline_size(const Layout& layout, const LayoutRequest& request, std::vector<Message>& notes);

}  // namespace ropescope
