// The control panel, a field's menu, and fields that play automatically. The panel shows the fields that the view's
// declare_fields() declares, with the controls of widgets.h.
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

/// Draws the controls of the current view, below the list of models.
void draw_fields(App& app, const Rect& rect, Experiment& edited);
/// Draws the controls that a step points to, if no other controls are visible.
void draw_pointed_controls(App& app, const std::vector<std::string>& names, Experiment& edited);

/// Returns the key of the one control of a student: the first number among these controls, else the first choice or
/// switch among them, else the first number of the view; empty if there is none.
std::string find_first_control(const Experiment& experiment, const std::vector<std::string>& names);
/// Draws that control.
void draw_first_control(App& app, const std::vector<std::string>& names, Experiment& edited);

// --- Playing a sweep -----------------------------------------------------------------------------------------------

/// Moves the swept field, if there is one; not an undo step. Ends if the field is changed elsewhere.
void play_sweep(App& app, double seconds);

// --- Player --------------------------------------------------------------------------------------------------------

/// Draws play, pause and steps at the right end of a row; returns where they start.
double draw_player(App& app, const Rect& row, Experiment& edited);

// --- As a command line ---------------------------------------------------------------------------------------------

/// Returns the command that reproduces the current figures, with the saved size and theme: "ropescope render decay
/// --set …".
std::string command_line_of(const Experiment& experiment, const Settings& settings);

}  // namespace ropescope::ui
