#pragma once

#include "app/experiment/experiment.h"
#include "app/figure/palette.h"

namespace ropescope::ui {

// Edits of the pinned ropes; the names by which they are hidden ("pin2") go along.

void remove_pin(Experiment& experiment, std::size_t index);
/// Takes a pin out and puts it in at another place of the list.
void move_pin(Experiment& experiment, std::size_t from, std::size_t to);
/// The slot with this colour (0…4) and this dash.
int slot_with(int colour, Dash dash);

}  // namespace ropescope::ui
