// Widgets: controls of fields, buttons, chips, cards and message bars. Defined in widgets.cpp except the controls of
// fields (controls.cpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/fields.h"
#include "app/figure/figure.h"
#include "app/ui/ui.h"

namespace ropescope::ui {

/// The edit of a widget in this frame: `changing` while dragging or typing (one undo step), `done` when it ended,
/// `reset` on a double click.
enum class Edit { none, changing, done, reset };

// Controls. Each draws its label (text "field.KEY.label"), shows the help "field.KEY.help" as a tooltip after a moment,
// records its rectangle under the field's key, is reachable by Tab and arrow keys, and takes the full width of the
// current column.
/// Draws a number: value right of the label (click to type), slider below, ticks below a logarithmic one, the initial
/// value as a faint notch. Dragging and arrow keys move it (Shift: ten steps); a double click resets it. ▷ right of the
/// slider, "KEY.play", plays it back and forth (Ui::sweep) if it animates: only fields of the experiment do.
Edit number_control(Ui& ui, const NumberField& field, double& value, bool animates = true);
/// Draws a choice: a segmented switch for up to four options, a list for more.
Edit choice_control(Ui& ui, const Field& field, std::string& value);
/// Draws several toggles as buttons in rows under one label (text "row.KEY" of the first), each labelled by its field.
Edit toggles_control(Ui& ui, std::string_view label_key, FieldList toggles);
/// Draws a text. If it is a file path, a button on its right, "KEY.choose", stores its key in WidgetState::file_key.
Edit text_control(Ui& ui, const Field& field, std::string& value);
/// Draws a set of options: one button each, in rows, which is on if its name is in the set.
Edit names_control(Ui& ui, const Field& field, std::vector<std::string>& value);
/// Draws a button as wide as the column; returns true if it was pressed.
bool action_control(Ui& ui, const Field& field);
/// Draws a list to choose from: label above, current choice in the box, themed popup with the items; `detail` is
/// right-aligned in an item in the secondary colour. Returns the id of an item chosen in this frame, else "". The box
/// shows `shown` if `current` is not an item. Long lists can be searched by typing.
struct ListItem {
  std::string id, label, detail;
};
std::string list_control(Ui& ui, std::string_view key, const std::string& label, const std::vector<ListItem>& items,
                         const std::string& current, const std::string& shown);
/// Draws small letter-spaced capitals above a group.
void group_label(Ui& ui, const std::string& label);

// Parts of the frame. Keys are recorded like those of fields.
bool button(Ui& ui, std::string_view key, const std::string& label, bool enabled = true,
            const std::string& tooltip = {});
/// Draws a small borderless button with one symbol at its top, 20 × 24 at 100 %, or larger.
bool fold_button(Ui& ui, std::string_view key, const std::string& sign, const std::string& tooltip, Vec2 size = {});
/// Returns the width of a button(), for right alignment and wrapping.
float button_width(const Ui& ui, const std::string& label);
/// Returns the places of items of these widths from left to right, in as many rows as needed.
std::vector<Rect> places_in_rows(const Rect& room, const std::vector<double>& widths, double height, double gap);
/// Height of an item of a list at 100 %.
inline constexpr double kListItemHeight = 36;
/// Draws a view in the list on the left: its name, its shortcut on the right, and an accent bar if it is selected.
bool list_item(Ui& ui, std::string_view key, const std::string& label, const std::string& shortcut, bool selected,
               double height_at_100 = kListItemHeight);
/// A press of a chip. menu: its menu is requested; held: the mouse drags it. A chip is a rounded pill: stroke sample
/// (if any), label, × (if closable). Dimmed if hidden.
enum class ChipClick { none, body, close, menu, held };
struct Chip {
  std::string key, label, tooltip;
  std::optional<Stroke> sample = {};
  bool closable = false, dimmed = false, dashed_outline = false;
};
/// Draws a chip, at most `widest` wide: a longer label is shortened in the middle.
ChipClick chip(Ui& ui, const Chip& chip, float widest);
/// Returns the width of a chip without such a limit.
float chip_width(const Ui& ui, const Chip& chip);
/// Space for the text of a card. The cards of a row share it, so that their numbers are at the same height.
struct CardText {
  std::size_t label_lines = 1;
  double note_height = 0;  ///< at 100 %; without notes, as in presentation mode: 0
  void include(const CardText& other) {
    label_lines = std::max(label_lines, other.label_lines);
    note_height = std::max(note_height, other.note_height);
  }
  /// Returns the height of a card without a button, at 100 %.
  double height() const;
};
/// Returns the space that a card of this width needs for its text without letters under kLeastText; of a very long
/// note, for its first sentences or lines.
CardText measure_card(const Ui& ui, const Readout& readout, double width);
/// Draws a card: label, large number, note, and the button of its action as "card.KEY.action", with a tooltip. Text
/// that does not fit is wrapped, then slightly smaller (never under kLeastText), then cut with a "+": a press shows
/// all of it.
enum class CardPress { none, body, action };
CardPress card(Ui& ui, const Readout& readout, float width, float height, const CardText& text = {});
enum class BarPress { none, close, action, body };
/// A message across the top of the figures with a × and, if `action` is set, a button before it. It has few lines when
/// collapsed; a press expands or collapses it.
struct Bar {
  std::string text;
  bool is_error = true;
  std::string action = {};
  bool unfolded = false;
};
BarPress message_bar(Ui& ui, std::string_view key, const Bar& bar);

/// Draws a text field of the column's width without a label, in the body font; all of its text is selected when it gets
/// the focus. Returns true when Enter was pressed.
bool text_input(Ui& ui, std::string_view key, std::string& text, bool take_focus = false);
}  // namespace ropescope::ui
