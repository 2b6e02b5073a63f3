// What Check shows before there are tensors: examples as cards, above a place to drop files.
#pragma once

#include "app/figure/figure.h"
#include "app/ui/app.h"

namespace ropescope::ui {

/// Loads the examples that the view Check can open: dumps that describe themselves.
void load_check_examples(App& app);

/// Draws the start of Check into the area of its empty figure: a card with a picture for every example, and under them
/// the message of the figure in a dashed outline with the button Open…. Returns false and draws nothing if the area is
/// too small for it.
bool draw_check_start(App& app, const Figure& figure, const Rect& outer);

}  // namespace ropescope::ui
