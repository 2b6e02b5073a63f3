// A user's own curves among those of a view, for Decay and Sweep. Read app/experiment/user_data.h first.
#pragma once

#include <string>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "core/message.h"

namespace ropescope {

/// Adds the experiment's own curves, if it has any, to a figure of curves with its axes set. The field of each selects
/// the y axis. By default the left axis is used if no value is farther outside that axis's fit than the fit's length;
/// otherwise the curve gets a separate axis on the right, which all such curves share, with their title. Throws
/// InputError as curve_of() does.
void add_own_curves(Figure& figure, const Experiment& experiment, const Text& text);

/// View::settle of the views with user curves: loads a curve's file when its path changes.
Message load_user_curve(const Experiment& before, Experiment& after);
/// View::open of the views with user curves: adds a curve's file if the current view shows curves. Throws InputError if
/// there are kMaxUserCurves already.
bool open_user_curve(Experiment& experiment, const std::string& path);

}  // namespace ropescope
