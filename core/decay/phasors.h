#pragma once

#include <Eigen/Core>
#include <complex>
#include <vector>

#include "core/decay/kernel.h"

namespace ropescope {

/// The unit arrows e^{iΔθ_i} of the n pairs laid head to tail from 0, in an order: the partial sums of RoFormer's
/// section 3.4.3.
struct PhasorSums {
  std::vector<std::complex<double>> joints;  ///< S_1 … S_n, S_j = Σ_{i<j} e^{iΔθ_i}
  double similarity = 0;                     ///< K(Δ) = Re S_n / n
  double length = 0;                         ///< |S_n| / n
  double mean_distance = 0;                  ///< B(Δ) = (1/n) Σ_{j=1..n} |S_j|, as abel_bound()
};
/// Any real distance. Throws InputError without a pair.
PhasorSums phasor_sums(const Eigen::VectorXd& frequencies, double distance, PairOrder order = PairOrder::fast_first);

/// Abel's transformation of the score with the bounds that follow from it (RoFormer, arXiv 2104.09864, equations 35 to
/// 37), h_i = a_i e^{iφ_i} the content in the order of the sum, h_n = 0, each over Σ |h_i|:
/// score ≤ |score| ≤ size = transformed ≤ terms ≤ bound.
struct AbelChain {
  double score = 0;        ///< Re Σ h_i e^{iΔθ_i}, the K(Δ) of the content: may be negative
  double size = 0;         ///< |Σ h_i e^{iΔθ_i}|
  double transformed = 0;  ///< |Σ S_{i+1} (h_{i+1} − h_i)|: the same number from the other side of equation 36
  double terms = 0;        ///< Σ |S_{i+1}| |h_{i+1} − h_i|
  double bound = 0;        ///< max_i |h_{i+1} − h_i| · Σ |S_{i+1}|, which is bound_factor() · B(Δ)
};
/// Throws InputError without a pair and where the content does not fit.
AbelChain abel_chain(const Eigen::VectorXd& frequencies, double distance, const Content& content = {},
                     PairOrder order = PairOrder::fast_first);

}  // namespace ropescope
