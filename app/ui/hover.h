#pragma once

#include "app/ui/app.h"

namespace ropescope::ui {

/// The card that follows the crosshair: the distance and the exact value of every visible curve there. Stands where it
/// covers least of the curves.
void draw_hover_card(App& app, const Figure& figure, const FigureLayout& layout);

/// Context menu of a plot: copy values, picture or command line; save; fit.
void draw_plot_menu(App& app, Experiment& edited);

/// The exact value of a map at data coordinates: NaN where there is none, nothing outside of the map.
std::optional<double> value_at(const Map& map, double x, double y);

/// A place that was picked on a figure.
struct Picked {
  std::string figure;
  double x = 0, y = 0;
};
/// "distance 4 096" and one "label <tab> value" line per curve, and per map of the picked figure, every digit of the
/// values: for the clipboard.
std::string values_text(const ViewResult& result, const Picked& at);

}  // namespace ropescope::ui
