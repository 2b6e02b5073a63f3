#include "app/platform/lost_display.h"

namespace ropescope {

void on_lost_display(std::function<void()> /*told*/) {}

}  // namespace ropescope
