#pragma once

#include <imgui.h>

#include "app/figure/scene.h"

namespace ropescope {

/// As ImGui takes colours.
ImU32 colour32(Colour colour);

/// The area of a polygon: convex ones (heads of arrows) with soft edges, others row by row of pixels with the winding
/// rule, whatever their shape; their outlines are drawn over the edges.
void fill_polygon(ImDrawList* list, const PolygonItem& polygon, const Rect& clip);

/// From the bottom to the top, on whole pixels.
void fill_gradient(ImDrawList* list, const GradientItem& gradient);

}  // namespace ropescope
