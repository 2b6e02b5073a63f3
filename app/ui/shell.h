#pragma once

#include "app/ui/app.h"

namespace ropescope::ui {

// Parts of the frame; each draws itself into its rectangle (pixels) and edits the experiment of this frame.
void draw_top_bar(App& app, const Rect& rect, Experiment& edited);
void draw_view_list(App& app, const Rect& rect, Experiment& edited);
void draw_knobs(App& app, const Rect& rect, Experiment& edited);
void draw_plots(App& app, const Rect& rect, Experiment& edited);
void draw_cards(App& app, const Rect& rect, Experiment& edited);
void draw_status(App& app, const Rect& rect);
void draw_dialogs(App& app, const Rect& screen, Experiment& edited);
/// Chips of the curves from the top of the room; returns the height that their rows took.
double draw_chips(App& app, const Rect& room, Experiment& edited);
/// Messages across the top of the figures; returns the height they took.
double draw_messages(App& app, const Rect& rect);
/// When a message goes by itself; nothing: it stays.
std::optional<double> end_of(const Message& message);
/// Asks the view for its figures where the experiment changed or something was still being computed.
void refresh_figures(App& app, const Experiment& experiment);
/// Lets the shown view's player go on, where it is playing; no step of undo.
void play(App& app, double seconds);
/// Play, pause and steps at the right end of a row; returns where they begin.
double draw_player(App& app, const Rect& row, Experiment& edited);
/// Clamps and records the edited experiment (a drag is one undo step) and carries out what was chosen in lists.
void finish_frame(App& app, Experiment& edited);
/// Keys that work anywhere (keys.cpp declares each once: for this and for the list of F1).
void handle_keys(App& app, Experiment& edited);

void open_dialog(App& app, DialogKind kind);
/// The bytes of a file of the shown figures: svg, pdf, png, csv (of one figure) or json (all of them).
std::string picture_of(const App& app, const std::string& format, const std::string& figure, Vec2 size);

}  // namespace ropescope::ui
