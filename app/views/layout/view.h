#pragma once

#include "app/views/view.h"

namespace ropescope {

/// Where an image model puts its tokens, what their positions are, and how near two of them are. Clicks on patches:
/// anchor, then target. Opens a PNG or JPEG, which then lies on the patches and whose image takes the nearest size of
/// it (throws InputError where it cannot be read), and a config.json, which chooses the layout.
extern const View kLayoutView;

/// Throws InputError where the layout's knobs cannot be shown: what the window says in place of the figures.
void check_layout(const Experiment& experiment);

}  // namespace ropescope
