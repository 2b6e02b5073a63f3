// A curve of somebody's own among those of a view: Decay and Sweep show one. Read app/experiment/own_data.h before.
#pragma once

#include <string>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "core/words.h"

namespace ropescope {

/// Adds the experiment's own curve, where it has one, to a figure of curves whose axes are there. It is read at the
/// axis that its field says; of itself at the left one where none of its values lies farther from what that fits than
/// this is long, else at one of its own at the right, titled after it. Throws InputError as curve_of().
void add_own_curve(Figure& figure, const Experiment& experiment, const Text& text);

/// View::settle of such views: reads a file that was chosen anew.
Words settle_own(const Experiment& before, Experiment& after);
/// View::open of such views: takes the file of a curve, for the view that is shown.
bool open_own(Experiment& experiment, const std::string& path);

}  // namespace ropescope
