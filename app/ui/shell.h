// The frame of the window: its areas, the top bar, pages of panels, and messages. draw_app() draws it with the
// parts whose headers are included here. Read app.h first.
#pragma once

#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/figure/pages/page.h"
#include "app/figure/scene/scene.h"
#include "app/ui/app.h"
#include "app/ui/control_panel.h"
#include "app/ui/dialogs.h"
#include "app/ui/finder.h"
#include "app/ui/pages.h"
#include "app/ui/plot.h"
#include "app/ui/widgets.h"

namespace ropescope::ui {

// --- Shell ---------------------------------------------------------------------------------------------------------

// Parts of the frame. Each draws itself into its rectangle (pixels) and edits the experiment of this frame; the other
// parts are in the headers included above.

/// Draws one complete frame in a window of this size in pixels. Call it between ImGui::NewFrame and ImGui::Render.
void draw_app(App& app, double width, double height);
/// Returns the seconds until something must be drawn or done without input: 0 for the next frame, infinity for never.
/// Excludes results of workers and changes of files by other programs.
double seconds_to_frame(const App& app);

// --- Cards ---------------------------------------------------------------------------------------------------------

/// Cards in a row below the figures, or one row of their numbers if the figures need the space.
struct CardsPlace {
  double height = 0;  ///< 0: no cards
  bool folded = false;
};
CardsPlace cards_place(App& app, const Rect& room);
void draw_cards(App& app, const Rect& rect, const CardsPlace& place, Experiment& edited);
/// Draws the full content of a card over the figures, after it was pressed.
void draw_whole_card(App& app, const Rect& area, Experiment& edited);
/// Draws all cards over the figures, while the row of numbers is expanded.
void draw_card_sheet(App& app, const Rect& area, Experiment& edited);

// --- Chips ---------------------------------------------------------------------------------------------------------

/// Draws the chips of the curves from the top of the area; returns the height of their rows.
double draw_chips(App& app, const Rect& room, Experiment& edited);

}  // namespace ropescope::ui
