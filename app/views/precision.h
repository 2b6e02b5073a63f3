// The view Precision: the effect of number formats on a rotation. The inputs of its store computations are in
// precision.cpp. Read view.h and app/store/store.h first.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/figure/figure.h"
#include "app/views/view.h"
#include "core/precision/precision.h"

namespace ropescope {

// --- Computed ------------------------------------------------------------------------------------------------------

/// Returns integer positions from 1 to `span` in ascending order without repetitions: about 400 at equal ratios, and
/// each power of two with its neighbours, where formats start to skip positions. Precondition: span ≥ 1.
std::vector<double> sampled_positions(double span);

}  // namespace ropescope
