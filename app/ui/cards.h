// Cards with readouts and chips of ropes, drawn into the rectangles that the shell gives them.
#pragma once

#include "app/experiment/experiment.h"
#include "app/figure/scene/scene.h"
#include "app/ui/app.h"

namespace ropescope::ui {

// --- Cards ---------------------------------------------------------------------------------------------------------

/// Cards side by side at the foot of the figures, or where these need the room one row of their numbers.
struct CardsPlace {
  double height = 0;  ///< none: there are no cards
  bool folded = false;
};
CardsPlace cards_place(App& app, const Rect& room);
void draw_cards(App& app, const Rect& rect, const CardsPlace& place, Experiment& edited);
/// Draws all that a card says, over the figures, after it was pressed.
void draw_whole_card(App& app, const Rect& area, Experiment& edited);
/// Draws all cards over the figures, while the row of numbers is unfolded.
void draw_card_sheet(App& app, const Rect& area, Experiment& edited);

// --- Chips ---------------------------------------------------------------------------------------------------------

/// Draws the chips of the curves from the top of the room; returns the height that their rows took.
double draw_chips(App& app, const Rect& room, Experiment& edited);

}  // namespace ropescope::ui
