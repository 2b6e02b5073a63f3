#include "app/commands/map_grid.h"

#include <algorithm>

namespace ropescope {

void share_colours(std::vector<Panel>& panels) {
  Range range{0, 0};
  for (const Panel& panel : panels) {
    const Range& own = panel.figure.maps.front().range;
    range = {std::min(range.low, own.low), std::max(range.high, own.high)};
  }
  if (range.low < 0) range.low = -range.high;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    Map& map = panels[i].figure.maps.front();
    map.range = range;
    map.colours = range.low < 0 ? MapColours::signed_value : MapColours::magnitude;
    map.bar = i + 1 == panels.size() || !panels[i + 1].beside;
  }
}

std::int64_t map_columns(std::int64_t maps, const PageSize& size) {
  std::int64_t best = 1;
  double largest = 0;
  for (std::int64_t columns = 1; columns <= maps; ++columns) {
    const std::int64_t rows = (maps + columns - 1) / columns;
    const double side = std::min(size.width / static_cast<double>(columns), size.height / static_cast<double>(rows));
    // Of equal ones the first has the fewest gaps at the end.
    if (side > largest) {
      largest = side;
      best = columns;
    }
  }
  return best;
}

}  // namespace ropescope
