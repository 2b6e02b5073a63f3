// Hover information of a plot: the card with exact values, and its text form for the clipboard. Drawn by
// plot.cpp.
#pragma once

#include "app/ui/app.h"

namespace ropescope::ui {

/// Draws the card that follows the crosshair: the distance and the exact value of every visible curve there. It is
/// placed where it covers least of the curves.
void draw_hover_card(App& app, const Figure& figure, const FigureLayout& layout);

/// Returns the exact value of a map at data coordinates: NaN if there is none, nullopt outside the map.
std::optional<double> value_at(const Map& map, double x, double y);

/// A place picked on a figure.
struct Picked {
  std::string figure;
  double x = 0, y = 0;
};
/// Returns the values at a picked place as text for the clipboard: "distance 4 096", and one line "label <tab> value"
/// per curve and per map of the picked figure, with every digit.
std::string values_text(const ViewResult& result, const Picked& at);

}  // namespace ropescope::ui
