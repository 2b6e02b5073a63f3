// Cards with readouts and chips of ropes, drawn into rectangles of the shell.
#pragma once

#include "app/experiment/experiment.h"
#include "app/figure/scene/scene.h"
#include "app/ui/app.h"

namespace ropescope::ui {

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
