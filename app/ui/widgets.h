// Widgets, the pen over figures, and the record of where each stands, which tests click by. widgets.cpp defines them
// but for the controls of fields (controls.cpp), tooltips, Tab stops and style (style.cpp), scenes (screen.cpp) and
// sizes of fonts (fonts.cpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/fields.h"
#include "app/figure/figure.h"
#include "app/figure/palette.h"
#include "app/figure/scene/scene.h"
#include "app/resources/text.h"
#include "app/ui/control_panel.h"

namespace ropescope::ui {

// --- Pen -----------------------------------------------------------------------------------------------------------

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

/// Lets the pen draw while the left button is held over the figure, which is the item just submitted.
void react_to_pen(App& app, const Figure& figure, const FigureLayout& layout, const std::string& view);
/// Draws the buttons of the pen (colours, undo, clear, end) in rows from the top of the room; returns the height that
/// they took.
double draw_pen_bar(App& app, const Rect& room);
/// Handles digits, Ctrl+Z and Delete while the pen is on; true: the keys of this frame are its own.
bool handle_pen_keys(App& app);

/// Goes on to the next of ring, spotlight and none; and draws it around the mouse, over everything else.
void next_pointer_mark(App& app);
void draw_pointer_mark(App& app, const Rect& screen);

}  // namespace ropescope::ui

// --- Widgets -------------------------------------------------------------------------------------------------------

struct ImFont;
struct ImDrawList;

namespace ropescope {
class Gpu;
}

namespace ropescope::ui {

/// Where each widget was drawn this frame, by key: GUI tests click("decay.base"), and the figures' plots are in it too.
struct WidgetRecord {
  std::vector<std::pair<std::string, Rect>> rects;
  void add(std::string key, const Rect& rect);
  const Rect* find(std::string_view key) const;
  void clear();
};

/// Fonts of the current text scale, all from one atlas (see fonts.h).
struct Fonts {
  ImFont* body = nullptr;      ///< 15 px regular, tabular digits, with CJK, Greek, mathematical signs
  ImFont* small = nullptr;     ///< 13 px
  ImFont* semibold = nullptr;  ///< 15 px
  ImFont* number = nullptr;    ///< 26 px semibold: readouts
  ImFont* label = nullptr;     ///< 12 px semibold: group labels
  ImFont* mono = nullptr;      ///< 13 px, every letter as wide: code

  /// Height of the em of one of them at 100 %, in pixels.
  double em_of(const ImFont* font) const;
};

/// What widgets keep from frame to frame; one of each is enough, as there is one mouse and one keyboard.
struct WidgetState {
  std::string edited_key, edited_text;  ///< the value that is being typed
  int edit_frames = 0;                  ///< frames since typing began
  bool edit_was_active = false;
  unsigned edited_stop = 0;  ///< Tab stop of that field, where Tab goes on from
  std::string refused_key;   ///< where the last typed text was not understood …
  double refused_at = -100;  ///< … and when: it shakes and is coloured for a moment
  std::string hovered_key;   ///< for tooltips that wait for the mouse to rest
  double hovered_since = 0;
  std::string dragged_key;  ///< slider under the mouse button; empty after a double click, which must not drag
  float drag_offset = 0;    ///< from the handle's middle to where the mouse took it
  struct TabStop {
    unsigned id = 0, window = 0;  ///< window: the root window that holds it
  };
  std::vector<TabStop> stops, previous_stops;  ///< in the order of drawing, this frame and the last
  int stops_frame = -1;
  unsigned focus_wanted = 0;
  std::string focus_key;               ///< of a control that is to have the focus as soon as it is drawn
  std::string whole_card;              ///< the card whose whole text is open
  std::string list_search;             ///< typed above the items of the open list
  std::string file_key, file_endings;  ///< a field that a file is to be chosen for, until somebody asks for it
  std::string menu_key;                ///< a field whose menu is open, or to be opened (menu_asked)
  bool menu_asked = false;
};

/// What every widget needs. scale: 1 at 100 % text on a 96-dpi screen; all measures are multiplied by it.
struct Ui {
  const Text* text = nullptr;
  Palette palette;
  Fonts fonts;
  float scale = 1;
  WidgetRecord* record = nullptr;
  WidgetState state = {};
  FieldSweep sweep = {};
  Gpu* gpu = nullptr;  ///< colours maps; without one they stay empty
  bool touch = false;  ///< fingers were used last: small buttons take presses beside them, keys are not named
  float px(double measure) const { return static_cast<float>(measure) * scale; }
};

/// What an edit did this frame: `changing` while dragging or typing (one undo step), `done` when it ended, `reset` on a
/// double click.
enum class Edit { none, changing, done, reset };

// Controls; each draws its label (text "field.KEY.label"), shows the help "field.KEY.help" as a tooltip after a moment,
// records its rectangle under the field's key, is reachable by Tab and arrow keys, and takes the full width of the
// current column.
/// A number: its value at the right of the label (click to type a number), a slider under it, ticks under a logarithmic
/// one, the initial value as a faint notch. It is moved by dragging and by arrow keys (Shift: ten steps); a double
/// click resets it. At the right of the slider ▷ lets it go to and fro by itself (Ui::sweep), as "KEY.play".
Edit number_control(Ui& ui, const NumberField& field, double& value);
/// A choice: a segmented switch for up to four options, a list for more.
Edit choice_control(Ui& ui, const Field& field, std::string& value);
/// Several toggles as buttons under one label (text "row.KEY" of the first), in rows: each is labelled by its field.
Edit toggles_control(Ui& ui, std::string_view label_key, FieldList toggles);
/// A text. One that holds a file has a button at its right, "KEY.choose", which leaves its key in
/// WidgetState::file_key.
Edit text_control(Ui& ui, const Field& field, std::string& value);
/// A set of options: one button for each, in rows, which is on where its name is in the set.
Edit names_control(Ui& ui, const Field& field, std::vector<std::string>& value);
/// A button as wide as the column; true where it was pressed.
bool action_control(Ui& ui, const Field& field);
/// A list to choose one thing from: label above, current choice in the box, themed popup with the items; `detail`
/// stands at the right of an item in the secondary colour. Returns the id of an item chosen in this frame, else "".
/// `shown` is what the box says where `current` is none of the items. Long lists can be searched by typing.
struct ListItem {
  std::string id, label, detail;
};
std::string list_control(Ui& ui, std::string_view key, const std::string& label, const std::vector<ListItem>& items,
                         const std::string& current, const std::string& shown);
/// Small letter-spaced capitals above a group.
void group_label(Ui& ui, const std::string& label);

// Parts of the frame. Keys are recorded like those of fields.
bool button(Ui& ui, std::string_view key, const std::string& label, bool enabled = true,
            const std::string& tooltip = {});
/// A small borderless button of one sign, 20 × 24 at 100 %, or larger: the sign stands at its top.
bool fold_button(Ui& ui, std::string_view key, const std::string& sign, const std::string& tooltip, Vec2 size = {});
/// Widths that button() and chip() will take, for right alignment and wrapping.
float button_width(const Ui& ui, const std::string& label);
/// A view in the list at the left: its name, its shortcut at the right, and an accent bar where it is selected.
bool list_item(Ui& ui, std::string_view key, const std::string& label, const std::string& shortcut, bool selected);
/// A rounded pill: stroke sample (if any), label, × (if closable). Dimmed where hidden.
/// menu: its menu is asked for; held: the mouse drags it.
enum class ChipClick { none, body, close, menu, held };
struct Chip {
  std::string key, label, tooltip;
  std::optional<Stroke> sample = {};
  bool closable = false, dimmed = false, dashed_outline = false;
};
/// Draws a chip, at most `widest` wide: a longer label loses its middle.
ChipClick chip(Ui& ui, const Chip& chip, float widest);
/// The width that a chip takes without such a limit.
float chip_width(const Ui& ui, const Chip& chip);
/// A card: label, large number, note, and the button of its action as "card.KEY.action", with a tooltip.
/// `beside_actions`: another card of the row has a button, and their words stand at the same height.
enum class CardPress { none, body, action };
CardPress card(Ui& ui, const Readout& readout, float width, float height, bool beside_actions = false);
/// Draws a wrapped tooltip in the theme's colours at the mouse.
void tooltip(Ui& ui, const std::string& text);
enum class BarPress { none, close, action, body };
/// A message across the top of the figures with a × and, where `action` has words, a button before it. Folded, it has
/// few lines; pressed, it is to be unfolded or folded.
struct Bar {
  std::string text;
  bool is_error = true;
  std::string action = {};
  bool unfolded = false;
};
BarPress message_bar(Ui& ui, std::string_view key, const Bar& bar);

/// A text field of the column's width without a label, its font that of the body; all of the text is selected when the
/// focus comes. Returns true when Enter was pressed.
bool text_input(Ui& ui, std::string_view key, std::string& text, bool take_focus = false);
/// Puts the item just submitted into the Tab order and draws the ring around it while it has the focus; every widget
/// above does so by itself. Returns true while it has the focus.
bool tab_stop(Ui& ui, double radius = 6);

/// Draws a laid-out scene into the current window's draw list (screen painter, app/ui/drawing/screen.cpp).
void draw_scene(ImDrawList* draw_list, const Ui& ui, const Scene& scene);
/// Text sizes as ImGui draws them with these fonts: for lay_out().
MeasureText screen_measure(const Ui& ui);
/// ImGui's own colours, roundings and paddings from the palette, so that popups and inputs match.
void apply_style(const Palette& palette, float scale);

}  // namespace ropescope::ui
