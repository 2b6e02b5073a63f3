// A figure on screen: its range, its mouse handling, its menu, and pages of figures. screen.h paints the layout of
// scene.h.
#pragma once

#include "app/experiment/experiment.h"
#include "app/figure/scene/scene.h"
#include "app/figure/scene/ticks.h"

namespace ropescope::ui {

struct App;

/// Draws the figures of the current view in a rectangle, page by page if they do not fit together, and handles mouse
/// and keys on them.
void draw_plots(App& app, const Rect& rect, Experiment& edited);

void clear_axis_range(Experiment& experiment, const FigureAxis& axis);
void fit_axes(Experiment& experiment, const Figure& figure);

/// Returns the value near x at which exact readings exist: the nearest x of the first line, else the nearest integer of
/// an integer axis.
double picked_distance(const Figure& figure, double x);

}  // namespace ropescope::ui
