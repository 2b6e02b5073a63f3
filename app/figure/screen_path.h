#pragma once

#include <imgui.h>

#include <vector>

#include "app/figure/scene.h"

namespace ropescope {

/// Strokes a path into a draw list, anti-aliased along its sides and ends. ImGui's own polylines grow spikes at the
/// sharp turns of an oscillating curve and have neither dashes nor soft ends. Dashes run on along the whole path; what
/// lies outside `clip` is left out. Straight horizontal and vertical paths are drawn as whole pixels, sharp.
void stroke_path(ImDrawList* list, const PathItem& path, const Rect& clip);

/// The area of a band as one strip of triangles without seams. Both ends of a column may be equal.
void fill_band(ImDrawList* list, const BandItem& band);

}  // namespace ropescope
