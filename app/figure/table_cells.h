#pragma once

#include <string>

#include "app/figure/figure.h"

namespace ropescope {

/// table_csv() of the only figure; of small multiples of one figure (Figure::cell) one table of all, with a column for
/// each of their knobs before the others. Where cells have other columns, each begins with a header of its own, after
/// an empty line.
std::string cells_csv(const ViewResult& view);

}  // namespace ropescope
