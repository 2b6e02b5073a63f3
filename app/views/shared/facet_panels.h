#pragma once

#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"

namespace ropescope {

/// One of small multiples.
struct FacetCell {
  std::string name;     ///< "rope.base=10000", see Figure::cell
  std::string caption;  ///< "b = 10 000"
  ViewResult result;
};

/// Row by row.
struct FacetGrid {
  std::size_t columns = 1;
  std::vector<FacetCell> cells;
};

/// Whether there is anything to see side by side.
bool has_curves_or_maps(const ViewResult& result);

/// The panels of all cells in rows, each titled by its cell and by what tells it from the cell's other figures, with
/// shared ranges. `experiment` says which ranges are zoomed. The last row may be shorter than the others. How they
/// stand in a room, and what is then said once, is a matter of app/figure/cells.h.
std::vector<Panel> join_panels(FacetGrid grid, const Experiment& experiment);

}  // namespace ropescope
