// A figure on screen: its range, what the mouse does to it, its menu, and pages of figures. screen.h paints what
// scene.h laid out.
#pragma once

#include "app/experiment/experiment.h"
#include "app/figure/scene.h"
#include "app/figure/ticks.h"

namespace ropescope::ui {

struct App;

/// Draws the figures of the shown view in a rectangle, page by page where they have no room together, and takes what
/// the mouse and the keys do to them.
void draw_plots(App& app, const Rect& rect, Experiment& edited);

/// Keeps a zoomed range in the experiment field that the axis names. The range is first brought within what makes
/// sense: distances stay within the data; values stay finite. A range equal to the fitted one is kept as "fit".
void set_axis_range(Experiment& experiment, const FigureAxis& axis, Range range);
void clear_axis_range(Experiment& experiment, const FigureAxis& axis);
void fit_axes(Experiment& experiment, const Figure& figure);

/// Pans without leaving the data: at an edge the range stops with its width kept.
Range pan_within(const AxisMap& map, double pixels, const FigureAxis& axis);

/// The value that a reading at x is exact for: the nearest x of the first line, else the nearest whole number of a
/// whole axis.
double picked_distance(const Figure& figure, double x);

}  // namespace ropescope::ui
