// The controls of the window for assistive technology, made from the fields that the panel draws (control_panel.h) and
// from the question of the lesson. The browser page creates hidden HTML controls from them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/ui/app.h"
#include "app/ui/widgets.h"

namespace ropescope::ui {

/// A control: its label, its value, and a function that sets it.
struct AccessibleControl {
  enum class Kind { heading, range, choice, toggle, text, button };
  Kind kind = Kind::button;
  std::string key;  ///< as in WidgetRecord; empty for a heading
  std::string label, help = {};
  std::string value = {};          ///< range: the number with its unit; choice: the id of an option; toggle: "1" or ""
  double position = 0, steps = 0;  ///< range: 0 … steps
  std::vector<ListItem> options = {};  ///< choice
  bool enabled = true;
  /// Sets it; `to` is as `value`, for a range a position, for a button anything. Empty for a heading.
  std::function<void(App&, const std::string& to)> set = {};
};

/// Returns the controls in the order of the screen: the bar, the lesson with its question, the model, the fields of the
/// view, each number as a range and as a text with the key KEY.value, its pins and its player. In the student's view
/// only the question, one field, and the buttons below it.
std::vector<AccessibleControl> list_accessible(const App& app);
/// Sets the control with this key, and returns whether there is one.
bool set_accessible(App& app, const std::string& key, const std::string& to);
/// Moves the focus to the drawn control with this key, and opens the panel that hides it.
void focus_accessible(App& app, const std::string& key);
/// Returns what is to be announced: the messages, and the answer of the question that was just answered; empty if
/// nothing.
std::string announcement(const App& app);

}  // namespace ropescope::ui
