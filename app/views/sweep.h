// The view Sweep: the number of a card over one field as a curve, or over two as a map; kSweepView is what view.cpp
// lists. Read view.h and app/store/store.h before.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/store/store.h"
#include "app/views/shared/facets.h"
#include "app/views/view.h"

namespace ropescope {

// --- Grid ----------------------------------------------------------------------------------------------------------

inline constexpr std::size_t kMostPointsShown = 10'000;

/// What the fields ask for, their values in ascending order; of the experiment what changes no number is left out.
/// Throws InputError where the view's own numbers are asked for, or a field cannot be read, is there twice or makes
/// more than kMostPointsShown points.
SweepGrid grid_of(const Experiment& experiment);

/// The grid as far as it is computed.
struct SweptGrid {
  SweepGrid grid;
  std::vector<double> numbers;  ///< of every point; NaN where there is none, or none yet
  std::size_t finished = 0, faults = 0;
  bool complete() const { return finished == numbers.size(); }
};
SweptGrid swept_of(const SweepGrid& grid, Store& store);

// --- View ----------------------------------------------------------------------------------------------------------

/// The number of a card of any other view over a field as a curve, or over two as a map.
extern const View kSweepView;

}  // namespace ropescope
