// A figure on screen: its range, what the mouse does to it, its menu, and pages of figures. screen.h paints what
// scene.h laid out.
#pragma once

#include "app/experiment/experiment.h"
#include "app/figure/scene/scene.h"
#include "app/figure/scene/ticks.h"

namespace ropescope::ui {

struct App;

/// Draws the figures of the shown view in a rectangle, page by page where they have no room together, and takes what
/// the mouse and the keys do to them.
void draw_plots(App& app, const Rect& rect, Experiment& edited);

void clear_axis_range(Experiment& experiment, const FigureAxis& axis);
void fit_axes(Experiment& experiment, const Figure& figure);

/// The value that a reading at x is exact for: the nearest x of the first line, else the nearest whole number of a
/// whole axis.
double picked_distance(const Figure& figure, double x);

}  // namespace ropescope::ui
