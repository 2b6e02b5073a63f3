#pragma once

#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/precision/inputs.h"

namespace ropescope {

std::vector<const PrecisionPolicy*> chosen_policies(const PrecisionKnobs& knobs);

/// The largest error of the cosines by position.
Figure error_figure(const PrecisionCurves& curves, const RopeKnobs& rope, const PrecisionKnobs& knobs,
                    const Text& text);
/// The error of the score, or the score under a shift.
Figure score_figure(const PrecisionCurves& curves, const RopeKnobs& rope, const PrecisionKnobs& knobs,
                    const Text& text);
/// Axes without curves.
Figure empty_precision_figure(const PrecisionKnobs& knobs, const Text& text);

}  // namespace ropescope
