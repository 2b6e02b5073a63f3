// Drawing tools for widgets and the frame: colours, sizes, painting, pressable areas, and text in lines. Internal to
// app/ui. Read widgets.h first.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/drawing/screen.h"
#include "app/ui/ui.h"

namespace ropescope::ui {

// Drawing tools for widgets and the frame. Internal to app/ui.

/// Returns a mix of `from` and `to`; 0 gives `from`.
Colour mixed(Colour from, Colour to, double share);
/// Returns the colour of small secondary text that must stay readable: contrast 4.5 : 1 on the ground and on panels,
/// where faint has 3 : 1.
Colour quiet_text(const Palette& palette);
ImVec2 point(double x, double y);
ImVec2 top_left(const Rect& rect);
ImVec2 bottom_right(const Rect& rect);
Rect rect_at(ImVec2 at, double width, double height);
/// Returns the rectangle grown by `by` on every side.
Rect grown(const Rect& rect, double by);
/// Returns the rectangle of the item just submitted.
Rect last_item_rect();

float text_width(ImFont* font, std::string_view text);
/// Returns the text, cut at a whole character and ended with an ellipsis if it is wider than `width`; empty if not even
/// the ellipsis fits.
std::string shortened(ImFont* font, const std::string& text, double width);
/// Returns the text cut to `width` like shortened(), but with the ellipsis after its first third, for texts whose start
/// and end matter most.
std::string shortened_middle(ImFont* font, const std::string& text, double width);
/// Breaks a text into lines up to `width` at spaces (and anywhere within CJK text or a word that is too long), at most
/// `count` lines: the rest becomes an ellipsis, and `cut` is set.
std::vector<std::string> wrapped_lines(ImFont* font, const std::string& text, double width, std::size_t count,
                                       bool& cut);

/// Draws a whole text as an item of the window, in the current font and colour, in lines up to `width`.
void wrapped_text(const std::string& text, double width);

inline constexpr double kSmallestShare = 0.65;
/// Least em height of text in figures and on cards, in pixels at 100 %.
inline constexpr double kLeastText = 11;
/// In presentation mode: 20 px at 720 lines. The mode scales with the window height in steps.
inline constexpr double kMinPresentationText = 12.7;
/// Returns the share of a font's size at which its letters have this em height at 100 %; at most 1.
double share_of_em(const Ui& ui, const ImFont* font, double em);

/// One line of text centred vertically at `centre_y`.
struct LineOfText {
  ImFont* font = nullptr;
  Colour colour;
  double left = 0, centre_y = 0;
  double share = 1;                     ///< share of the font's size
  double least_share = kSmallestShare;  ///< for draw_line_within()
};
void draw_line(const LineOfText& line, std::string_view text);
/// Draws a line of text within `width`: smaller if it does not fit, down to its least share, then shortened. `align`: 0
/// left, 0.5 centred, 1 right. Returns true if it was shortened.
bool draw_line_within(LineOfText line, double width, double align, const std::string& text);

void fill_rect(const Rect& rect, Colour colour, double radius = 0);
/// Draws an outline of one hairline inside the rectangle.
void outline_rect(const Ui& ui, const Rect& rect, Colour colour, double radius);
/// Draws a downward triangle.
void draw_arrow(const Ui& ui, double centre_x, double centre_y, Colour colour);
void draw_cross(const Ui& ui, double centre_x, double centre_y, Colour colour);
/// Draws a rounded dashed outline.
void dashed_rect(const Ui& ui, const Rect& rect, Colour colour, double radius);

/// An invisible button over a rectangle: part of the Tab order, with a focus ring, recorded under its key.
struct Press {
  Rect rect;
  unsigned id = 0;
  bool clicked = false, hovered = false, held = false, focused = false, double_clicked = false;
};
Press press_area(Ui& ui, std::string_view key, const Rect& rect, double radius = 6, bool enabled = true);
/// An invisible button for the mouse only: not part of the Tab order; recorded under its key.
Press mouse_area(Ui& ui, std::string_view key, const Rect& rect);

/// Returns when a tooltip is to appear at a resting mouse; nullopt if none is pending.
std::optional<double> find_tooltip_time(const WidgetState& state, double now);
/// Shows a tooltip once the mouse has rested for a moment on what it explains: `about`, or else the key's rectangle. It
/// is outside that rectangle, so it covers neither a control nor its label.
void tooltip_after_rest(Ui& ui, std::string_view key, bool hovered, const std::string& text,
                        const std::optional<Rect>& about = {});

/// Draws a wrapped tooltip in the theme's colours next to the rectangle that it explains.
void tooltip(Ui& ui, const std::string& text, const Rect& about);
/// Hides tooltips until the mouse or the focus moves if another view than in the last frame is drawn: what the mouse
/// rests on is different.
void hide_tooltips_of_other_view(Ui& ui, std::string_view view);
/// Adds the item just submitted to the Tab order and draws the ring around it while it has the focus; every widget
/// above calls it. Returns true while it has the focus.
bool tab_stop(Ui& ui, double radius = 6);

/// Returns whether the focus is on the last Tab stop of the window, or on the first if `back`; also if there are none.
bool is_last_stop(const WidgetState& state, bool back);

/// The current column at the cursor, in its full width; leave() moves the cursor below its content.
struct Column {
  ImVec2 origin;
  double width = 0;
  void leave(double height) const;
};
Column enter_column();

/// Sets ImGui's own colours, roundings and paddings from the palette, so that popups and inputs match.
void apply_style(const Palette& palette, float scale);

}  // namespace ropescope::ui
