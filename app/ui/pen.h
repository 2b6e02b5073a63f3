// The pen over figures and the mark around the mouse, for an audience. Read app.h first.
#pragma once

#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/figure/scene/scene.h"
#include "app/ui/app.h"

namespace ropescope::ui {

/// Returns the panels with the strokes drawn over them in this view, as marks of their figures.
std::vector<Panel> add_pen_strokes(std::vector<Panel> panels, const Pen& pen, const std::string& view);
bool has_ink(const Pen& pen, const std::string& view);

/// Draws with the pen while the left button is held over the figure, which is the item just submitted.
void react_to_pen(App& app, const Figure& figure, const FigureLayout& layout, const std::string& view);
/// Draws the buttons of the pen (colours, undo, clear, end) in rows from the top of the area; returns the height of the
/// rows.
double draw_pen_bar(App& app, const Rect& room);
/// Handles digits, Ctrl+Z and Delete while the pen is on; returns true if it used the keys of this frame.
bool handle_pen_keys(App& app);

/// Switches between ring, spotlight and none; and draws the mark around the mouse, over everything else.
void cycle_pointer_style(App& app);
void draw_pointer_mark(App& app, const Rect& screen);

}  // namespace ropescope::ui
