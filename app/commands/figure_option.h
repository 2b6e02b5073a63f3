#pragma once

#include <string>

#include "app/figure/figure.h"
#include "app/figure/page.h"

namespace ropescope {

/// The panel that --figure names by its number, counted from 1, or by its name. Throws InputError that lists them.
const Panel& find_panel(const ViewResult& result, const std::string& figure);

/// Says what a large picture of pixels takes, so that the wait is not silent. Throws InputError where that is more than
/// is free.
void check_picture_memory(const PageSize& size);

}  // namespace ropescope
