#pragma once

#include <functional>

namespace ropescope {

/// Called where the display goes away (X server gone, connection cut), before the program ends with exit code 1. Where
/// a display cannot go away by itself it is never called.
void on_lost_display(std::function<void()> told);

}  // namespace ropescope
