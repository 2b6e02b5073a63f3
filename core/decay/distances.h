// Similarity and bound at a list of distances in any order: what `ropescope decay` writes and Python's
// Rope.similarity() gives. Read kernel.h first.
#pragma once

#include <Eigen/Core>
#include <span>

#include "core/decay/kernel.h"
#include "core/parallel.h"

namespace ropescope {

/// Similarity and bound at each distance, in the order given, any real numbers of either sign: both are even functions
/// of the distance. Long runs of neighbouring whole distances are computed by kernel_curves(), the rest one by one.
/// Both vectors are empty where it was stopped; the bound too where it is not wanted. Throws InputError without a pair.
KernelCurves curves_at(std::span<const double> distances, const Eigen::VectorXd& frequencies, PairOrder order,
                       const Work& work = {}, bool want_bound = true);

}  // namespace ropescope
