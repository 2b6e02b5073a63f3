#pragma once

#include "app/views/view.h"

namespace ropescope {

/// The number of a card of any other view over a knob as a curve, or over two as a map.
extern const View kSweepView;

}  // namespace ropescope
