#pragma once

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"

namespace ropescope {

/// Tells the lines of ropes ("current", "pin2.trend") what they come from, for tables: name, base, extension and
/// dimension, in any language the same.
void name_origins(ViewResult& result, const Experiment& experiment);

}  // namespace ropescope
