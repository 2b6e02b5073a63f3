#pragma once

namespace ropescope {

/// Following the mouse in every layout with an image: a new layout is measured without a line of its own. For main, as
/// the list of layouts may not be there yet while static objects are made.
void add_layout_benchmarks();

}  // namespace ropescope
