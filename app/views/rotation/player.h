#pragma once

#include "app/views/view.h"

namespace ropescope {

/// See kRotationView.
extern const Player kRotationPlayer;

}  // namespace ropescope
