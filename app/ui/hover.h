#pragma once

#include "app/ui/app.h"

namespace ropescope::ui {

/// The card that follows the crosshair: the distance and the exact value of every visible curve there. Stands where it
/// covers least of the curves.
void draw_hover_card(App& app, const Figure& figure, const FigureLayout& layout);

/// Context menu of a plot: copy values, picture or command line; save; fit.
void draw_plot_menu(App& app, Experiment& edited);

/// "distance 4 096" and one "label <tab> value" line per curve, every digit of the values: for the clipboard.
std::string values_text(const ViewResult& result, double distance);

}  // namespace ropescope::ui
