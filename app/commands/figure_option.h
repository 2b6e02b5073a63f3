#pragma once

#include <string>

#include "app/figure/figure.h"

namespace ropescope {

/// The panel that --figure names by its number, counted from 1, or by its name. Throws InputError that lists them.
const Panel& find_panel(const ViewResult& result, const std::string& figure);

}  // namespace ropescope
