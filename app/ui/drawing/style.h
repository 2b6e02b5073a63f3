// Colours, measures and painting of widgets, areas that are pressed, and text in lines: what the widgets and the frame
// are drawn with. Not for other rooms. Read widgets.h before.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/drawing/screen.h"
#include "app/ui/widgets.h"

namespace ropescope::ui {

// What the widgets and the frame are drawn with. Not for other rooms.

/// `from` and `to` mixed; 0 gives `from`.
Colour mixed(Colour from, Colour to, double share);
/// The colour of small words that should stand back but be read: 4.5 : 1 on the ground and on panels, where faint has 3
/// : 1.
Colour quiet_text(const Palette& palette);
ImVec2 point(double x, double y);
ImVec2 top_left(const Rect& rect);
ImVec2 bottom_right(const Rect& rect);
Rect rect_at(ImVec2 at, double width, double height);
/// The rectangle grown by `by` on every side.
Rect grown(const Rect& rect, double by);
/// The rectangle of the item just submitted.
Rect last_item_rect();

float text_width(ImFont* font, std::string_view text);
/// The text, cut at a whole character and ended with an ellipsis where it is wider than `width`; empty where not even
/// the ellipsis fits.
std::string shortened(ImFont* font, const std::string& text, double width);
/// The text cut to `width` as by shortened(), but with the ellipsis after its first third: where beginning and end say
/// the most.
std::string shortened_middle(ImFont* font, const std::string& text, double width);
/// Lines of at most `width`, broken at spaces (and anywhere within CJK text or too long a word), at most `count` of
/// them: what does not fit is replaced by an ellipsis, and `cut` is set then.
std::vector<std::string> wrapped_lines(ImFont* font, const std::string& text, double width, std::size_t count,
                                       bool& cut);

/// A whole text as an item of the window, in the current font and colour, in lines of at most `width`.
void wrapped_text(const std::string& text, double width);

inline constexpr double kSmallestShare = 0.65;

/// One line of text whose middle is at `centre_y`.
struct LineOfText {
  ImFont* font = nullptr;
  Colour colour;
  double left = 0, centre_y = 0;
  double share = 1;  ///< of the font's size
};
void draw_line(const LineOfText& line, std::string_view text);
/// Draws a line of text within `width`: smaller where it does not fit, down to kSmallestShare, then shortened; aligned
/// in it: 0 left, 0.5 centred, 1 right. Returns true where it was shortened.
bool draw_line_within(LineOfText line, double width, double align, const std::string& text);

void fill_rect(const Rect& rect, Colour colour, double radius = 0);
/// Draws an outline of one hairline inside the rectangle.
void outline_rect(const Ui& ui, const Rect& rect, Colour colour, double radius);
/// Draws a downward triangle.
void draw_arrow(const Ui& ui, double centre_x, double centre_y, Colour colour);
void draw_cross(const Ui& ui, double centre_x, double centre_y, Colour colour);
/// Draws a rounded outline of dashes.
void dashed_rect(const Ui& ui, const Rect& rect, Colour colour, double radius);

/// An invisible button over a rectangle: part of the Tab order, with its ring, recorded under its key.
struct Press {
  Rect rect;
  unsigned id = 0;
  bool clicked = false, hovered = false, held = false, focused = false, double_clicked = false;
};
Press press_area(Ui& ui, std::string_view key, const Rect& rect, double radius = 6, bool enabled = true);
/// An invisible button over a rectangle for the mouse alone: no part of the Tab order; recorded under its key.
Press mouse_area(Ui& ui, std::string_view key, const Rect& rect);

/// When a tooltip is to come to a mouse that rests; none where nothing is waited for.
std::optional<double> tooltip_due(const WidgetState& state, double now);
/// Shows a tooltip once the mouse has rested on the key's rectangle for a moment.
void tooltip_after_rest(Ui& ui, std::string_view key, bool hovered, const std::string& text);

/// The current column at the cursor, in its full width; leave() moves the cursor below what was drawn in it.
struct Column {
  ImVec2 origin;
  double width = 0;
  void leave(double height) const;
};
Column enter_column();

}  // namespace ropescope::ui
