// Similarity and bound at arbitrary distances, for `ropescope decay` and Python's Rope.similarity(). Read kernel.h
// first.
#pragma once

#include <Eigen/Core>
#include <span>

#include "core/decay/kernel.h"
#include "core/parallel.h"

namespace ropescope {

/// Computes similarity and bound at each distance, in the given order. Distances are real numbers of either sign; both
/// functions are even. Long runs of consecutive integers use kernel_curves(). Both vectors are empty if the work is
/// cancelled, and the bound also if it is not requested. Throws InputError if there are no pairs.
KernelCurves curves_at(std::span<const double> distances, const Eigen::VectorXd& frequencies, PairOrder order,
                       const Work& work = {}, bool want_bound = true);

}  // namespace ropescope
