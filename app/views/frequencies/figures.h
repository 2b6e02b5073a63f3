#pragma once

#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/frequencies/cards.h"

namespace ropescope {

/// Frequency or wavelength of every pair.
Figure quantity_figure(const std::vector<LadderCurve>& curves, const FrequenciesKnobs& knobs, const Text& text);
/// Its ratio to the plain ladder.
Figure ratio_figure(const std::vector<LadderCurve>& curves, const FrequenciesKnobs& knobs, const Text& text);
/// Axes without curves.
Figure empty_frequencies_figure(const FrequenciesKnobs& knobs, const Text& text);

}  // namespace ropescope
