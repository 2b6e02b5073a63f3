#pragma once

#include <cstdint>
#include <vector>

#include "app/figure/figure.h"
#include "app/figure/page.h"

/// Maps of equal size in rows and columns of one page.
namespace ropescope {

/// The same colours for the same numbers in the panels' first maps, so that one bar tells of each row.
void share_colours(std::vector<Panel>& panels);

/// Into how many columns square maps go so that they come out largest.
std::int64_t map_columns(std::int64_t maps, const PageSize& size);

}  // namespace ropescope
