// What is read at the mouse over a plot: the card with exact values, and the same as text for the clipboard. plot.cpp
// draws it.
#pragma once

#include "app/ui/app.h"

namespace ropescope::ui {

/// Draws the card that follows the crosshair: the distance and the exact value of every visible curve there. It stands
/// where it covers least of the curves.
void draw_hover_card(App& app, const Figure& figure, const FigureLayout& layout);

/// The exact value of a map at data coordinates: NaN where there is none, nothing outside of the map.
std::optional<double> value_at(const Map& map, double x, double y);

/// A place that was picked on a figure.
struct Picked {
  std::string figure;
  double x = 0, y = 0;
};
/// The values at a picked place for the clipboard: "distance 4 096", and one line "label <tab> value" per curve and per
/// map of the picked figure, with every digit.
std::string values_text(const ViewResult& result, const Picked& at);

}  // namespace ropescope::ui
