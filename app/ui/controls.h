// What the controls of fields share: labels, typing, lists that drop down. The controls themselves are declared in
// widgets.h, with all other widgets. Read style.h before.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/ui/style.h"

namespace ropescope::ui {

// What the controls share. Not for others, but for when they change by themselves.

// Measures at 100 %.
inline constexpr double kLabelRow = 20, kBoxTop = 22, kBoxHeight = 32, kBoxControl = 62;

/// Draws the field's label at the left of its first row, shortened to `width`; a double click on it resets, a right one
/// asks for its menu.
Press control_label(Ui& ui, std::string_view key, const std::string& label, const Column& column, double width);
std::string label_of(const Ui& ui, std::string_view key);
std::string help_of(const Ui& ui, std::string_view key);

/// The value of a field while it is typed as text, in the given rectangle. Ends with Enter, Tab or a click elsewhere
/// (`committed`), or Escape.
struct Typing {
  bool active = false;     ///< still typing
  bool committed = false;  ///< `text` is to be taken over
  bool by_enter = false;
  std::string text;
};
void start_typing(Ui& ui, std::string_view key, const std::string& text);
bool is_typing(const Ui& ui, std::string_view key);
Typing typing_field(Ui& ui, std::string_view key, const Rect& rect);
/// Marks a typed text that was not understood: it shakes and takes the warning colour for a moment.
void refuse_typing(Ui& ui, std::string_view key);
/// The pixels by which a refused text is shifted now; `refused` says whether the moment is not over.
double shake_of(const Ui& ui, std::string_view key, bool& refused);

/// When any widget is to look different without input, as what was refused does; none where nothing is waited for.
std::optional<double> next_change(const WidgetState& state, double now);

/// A text with A to Z in lower case and all other letters as they are: what somebody types is looked for so.
std::string lower_ascii(std::string text);

/// Draws a box that shows `shown` with an arrow, and the list that opens under it. Returns the id chosen in this frame,
/// or "".
std::string drop_down(Ui& ui, std::string_view key, const Rect& rect, const std::vector<ListItem>& items,
                      const std::string& current, const std::string& shown);

}  // namespace ropescope::ui
