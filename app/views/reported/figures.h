#pragma once

#include <vector>

#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/reported/inputs.h"

namespace ropescope {

/// The table as bars from 0: bars of a column beside each other, what the cards speak of in a frame, hatched what was
/// measured on another set than the rest.
Figure reported_figure(const ReportedChoice& choice, const Text& text);

/// The chosen numbers, their difference, and what the table tells beside: how many tasks, or the longer reading.
std::vector<Readout> reported_readouts(const ReportedChoice& choice, const Text& text);

}  // namespace ropescope
