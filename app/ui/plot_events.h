#pragma once

#include "app/figure/scene.h"
#include "app/ui/app.h"

namespace ropescope::ui {

// What the mouse does to a figure whose view reacts: handles are caught and dragged, places are clicked.

/// The handle under the mouse, the nearest of several; null where there is none.
const Handle* handle_at(const App& app, const Figure& figure, const FigureLayout& layout, Vec2 mouse);
/// Where the handles are, as "handle.FIGURE.KEY".
void record_handles(App& app, const Figure& figure, const FigureLayout& layout);
/// Moves the handle in the hand of app.plot.drag.
void drag_handle(const App& app, const Figure& figure, const FigureLayout& layout, Vec2 mouse, Experiment& edited);
/// A press that ended where it began.
void click_figure(App& app, const Figure& figure, const FigureLayout& layout, Vec2 mouse, Experiment& edited);
/// A ring around the handle under the mouse with its words, and the hand as a cursor.
void draw_handle(App& app, const Figure& figure, const FigureLayout& layout);

}  // namespace ropescope::ui
