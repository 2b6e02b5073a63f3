// The panel of controls, the menu of a field, and fields that play by themselves. The panel shows what the view's
// describe() declares, by the controls of widgets.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ropescope {
struct Experiment;
struct Rect;
}  // namespace ropescope

namespace ropescope::ui {

struct App;
struct Settings;

// --- Panel ---------------------------------------------------------------------------------------------------------

/// Draws the controls of the shown view, under the list of models.
void draw_fields(App& app, const Rect& rect, Experiment& edited);
/// Draws the controls that a step points to, for those who see no others.
void draw_pointed_controls(App& app, const std::vector<std::string>& names, Experiment& edited);

// --- Playing a sweep -----------------------------------------------------------------------------------------------

/// The field that goes to and fro by itself; one at most. Widgets start and end it, play_sweep() moves it.
struct FieldSweep {
  std::string key;       ///< of the number; empty: none
  bool held = false;     ///< paused
  bool started = false;  ///< in this frame: it begins where the field stands
  bool focused = false;  ///< the field has the focus, so that Space is not for typing
  double phase = 0;      ///< share of the way there and back, 0 … 1
  double value = 0;      ///< as it was put last; another one was put by somebody else
  std::string last;      ///< the field that was swept last, for "Save as GIF…"
  std::string speed_of;  ///< the field whose ▷ was asked for the speed in this frame

  bool plays(std::string_view of) const { return key == of && !held; }
  void end() { key.clear(); }
  /// What a press of ▷ or ⏸ does.
  void press(std::string_view of) {
    if (key == of) {
      held = !held;
      return;
    }
    key = last = of;
    held = false;
    started = true;
  }
};

/// Seconds from one end of the slider to the other.
inline constexpr double kFastestSweep = 1, kSlowestSweep = 120;

/// Moves the field that is swept, where one is; no step of undo. It ends where somebody else moves that field.
void play_sweep(App& app, double seconds);

// --- Player --------------------------------------------------------------------------------------------------------

/// Draws play, pause and steps at the right end of a row; returns where they begin.
double draw_player(App& app, const Rect& row, Experiment& edited);

// --- As a command line ---------------------------------------------------------------------------------------------

/// The command that reproduces the shown figures, as large and as light as they are saved: "ropescope render decay
/// --set …".
std::string command_line_of(const Experiment& experiment, const Settings& settings);

}  // namespace ropescope::ui
