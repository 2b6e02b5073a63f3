// Shared parts of the controls of fields: labels, typing, drop-down lists. The controls themselves are declared in
// widgets.h, with all other widgets. Read style.h first.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/fields.h"
#include "app/ui/drawing/style.h"
#include "app/ui/widgets.h"

namespace ropescope::ui {

// Internal to the controls, and to accessible.h, which describes them.

// Sizes at 100 %.
inline constexpr double kLabelRow = 20, kBoxTop = 22, kBoxHeight = 32, kBoxControl = 62;

/// Returns when a widget will look different without input, such as after a rejected value; nullopt if never.
std::optional<double> next_change(const WidgetState& state, double now);

/// Return the label of a field, its help (empty if it has none), and the labels of its options.
std::string label_of(const Ui& ui, std::string_view key);
std::string help_of(const Ui& ui, std::string_view key);
std::vector<std::string> option_labels(const Ui& ui, const Field& field);
/// Returns a number as displayed, with its unit.
std::string displayed_number(const Ui& ui, const NumberField& field, double value);
/// Returns the number at a share of the slider: round numbers, the ends exactly.
double dragged_value(const NumberField& field, double fraction, bool freely);

/// The value of a field while it is typed as text, in the given rectangle. Ends with Enter, Tab or a click elsewhere
/// (`committed`), or Escape.
struct Typing {
  bool active = false;     ///< still typing
  bool committed = false;  ///< `text` is the new value
  bool by_enter = false;
  std::string text;
};

/// Starts to type the value of a field. `keyboard`: of a phone, "decimal" or empty for letters.
void start_typing(Ui& ui, std::string_view key, const std::string& text, const char* keyboard = "");
/// Returns whether the value of this field is typed.
bool is_typing(const Ui& ui, std::string_view key);
/// Returns the current shift in pixels of a rejected text; `refused` is set while it is marked.
double shake_of(const Ui& ui, std::string_view key, bool& refused);
/// Draws the text that is typed; `key` is the field's.
Typing typing_field(Ui& ui, std::string_view key, const Rect& rect);
/// Marks a typed text that was rejected: it shakes and has the warning colour for a moment.
void refuse_typing(Ui& ui, std::string_view key);

/// The area of a control from its label to its last row: the mouse is on the control anywhere in it.
Rect area_of(const Column& column, double height);
/// Returns whether the mouse is in an area of the window drawn now.
bool is_pointed_at(const Rect& area);
/// Shows the field's help while the mouse rests on the control, outside its area. `on_part`: the mouse is on a part
/// that has its own tooltip.
void help_after_rest(Ui& ui, std::string_view key, const Rect& area, bool on_part, const std::string& help);
/// Draws the field's label on the left of its first row, shortened to `width`; a double click on it resets, a right
/// click opens its menu.
Press control_label(Ui& ui, std::string_view key, const std::string& label, const Column& column, double width);

/// Returns a text with A to Z in lower case, other letters unchanged, for case-insensitive search.
std::string lower_ascii(std::string text);

}  // namespace ropescope::ui
