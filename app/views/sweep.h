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

// --- View ----------------------------------------------------------------------------------------------------------

/// The number of a card of any other view over a field as a curve, or over two as a map.
extern const View kSweepView;

}  // namespace ropescope
