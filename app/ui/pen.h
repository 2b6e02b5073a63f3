#pragma once

#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/figure/scene.h"

namespace ropescope::ui {

struct App;

/// What the mouse is shown as, for a room that follows it.
enum class PointerMark { plain, ring, spotlight };

/// A line drawn by hand over a figure, in its data coordinates: it stays where it was drawn.
struct InkStroke {
  std::string view, figure;
  Path path;
};

struct Pen {
  static constexpr int kColours = 5;
  bool on = false;    ///< the left button draws
  bool down = false;  ///< a stroke is being drawn
  int colour = 1;     ///< slot of the palette
  std::vector<InkStroke> strokes;
};

/// The panels with what was drawn over them in this view, as marks of their figures.
std::vector<Panel> with_ink(std::vector<Panel> panels, const Pen& pen, const std::string& view);
bool has_ink(const Pen& pen, const std::string& view);

/// Draws where the left button is held over the figure; of the item just submitted.
void react_to_pen(App& app, const Figure& figure, const FigureLayout& layout, const std::string& view);
/// Colours, undo, clear and end in rows from the top of the room; returns the height that they took.
double draw_pen_bar(App& app, const Rect& room);
/// Digits, Ctrl+Z and Delete while the pen is on; true: the keys of this frame are its own.
bool handle_pen_keys(App& app);
void undo_ink(App& app);
void clear_ink(App& app);

/// The next of ring, spotlight and none; and what is drawn around the mouse, over everything else.
void next_pointer_mark(App& app);
void draw_pointer_mark(App& app, const Rect& screen);

}  // namespace ropescope::ui
