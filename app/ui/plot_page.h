#pragma once

#include <string>
#include <vector>

#include "app/figure/scene.h"
#include "app/ui/app.h"

namespace ropescope::ui {

/// Where the panels have no room together: those of the shown page, and dots below that choose another one; small
/// multiples as they have room. Empty where all are shown as they are. What stands around them is drawn and taken from
/// the room.
std::vector<Panel> page_of(App& app, Rect& room, const std::string& view, const FigureOptions& options);

}  // namespace ropescope::ui
