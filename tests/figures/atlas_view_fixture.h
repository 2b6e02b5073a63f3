#pragma once

#include "app/views/atlas.h"

#include "tests/figures/view_parts.h"

namespace ropescope {

class AtlasView : public TestOfView<kAtlasView> {
 protected:
  AtlasFields& fields = experiment.atlas;

  void point_at(double x, double y) { experiment.pointer = Pointer{"atlas", x, y}; }
};

inline float cell_of(const Map& map, std::size_t row, std::size_t column) {
  return map.cells->values[row * map.cells->columns + column];
}

/// What a pixel shows that is as large as a cell.
inline double shown_of(const Map& map, std::size_t row, std::size_t column) {
  const auto angle = static_cast<double>(cell_of(map, row, column));
  if (map.wave == MapWave::none) return angle;
  return map.wave_size * (map.wave == MapWave::sine ? std::sin(angle) : std::cos(angle));
}

}  // namespace ropescope
