// A figure on screen: its range, its mouse handling, its menu, its hover card, and pages of figures. screen.h paints
// the layout of scene.h.
#pragma once

#include "app/experiment/experiment.h"
#include "app/figure/scene/scene.h"
#include "app/figure/scene/ticks.h"
#include "app/ui/app.h"

namespace ropescope::ui {

/// Draws the figures of the current view in a rectangle, page by page if they do not fit together, and handles mouse
/// and keys on them.
void draw_plots(App& app, const Rect& rect, Experiment& edited);

void clear_axis_range(Experiment& experiment, const FigureAxis& axis);
void fit_axes(Experiment& experiment, const Figure& figure);

/// Returns the value near x at which exact readings exist: the nearest x of the first line, else the nearest integer of
/// an integer axis.
double picked_distance(const Figure& figure, double x);

// --- Hover ---------------------------------------------------------------------------------------------------------

/// Draws the card that follows the crosshair: the distance and the exact value of every visible curve there. It is
/// placed where it covers least of the curves.
void draw_hover_card(App& app, const Figure& figure, const FigureLayout& layout);

/// Returns the exact value of a map at data coordinates: NaN if there is none, nullopt outside the map.
std::optional<double> value_at(const Map& map, double x, double y);

/// Returns the values at a picked place as text for the clipboard: "distance 4 096", and one line "label <tab> value"
/// per curve and per map of the picked figure, with every digit.
std::string values_text(const ViewResult& result, const Pointer& at);

}  // namespace ropescope::ui
