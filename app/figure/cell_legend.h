#pragma once

#include <vector>

#include "app/figure/scene.h"

namespace ropescope {

/// The curves of small multiples whose figures want a legend (Figure::legend), each once, in rows from the left of the
/// room: inside one of the plots it would take that plot's height alone. Returns the height that they fill, 0 where
/// there are none.
double add_cell_legend(Scene& scene, const std::vector<Panel>& panels, const Rect& room, const Palette& palette,
                       const FigureOptions& options, const MeasureText& measure);

}  // namespace ropescope
