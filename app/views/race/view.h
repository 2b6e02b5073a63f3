#pragma once

#include "app/views/view.h"

namespace ropescope {

/// Small Transformers that learn side by side: loss by step, what can be told of who is ahead, and how sure it is.
extern const View kRaceView;

}  // namespace ropescope
