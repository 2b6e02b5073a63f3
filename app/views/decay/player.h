#pragma once

#include "app/views/view.h"

namespace ropescope {

/// See kDecayView.
extern const Player kDecayPlayer;

}  // namespace ropescope
