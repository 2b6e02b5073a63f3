#include "core/attention/pair_means.h"

#include <cmath>
#include <complex>

#include "core/error.h"
#include "core/rotary/rotation.h"

namespace ropescope {

Eigen::VectorXcd PairMeans::direction() const {
  Eigen::VectorXcd directions(mean.size());
  for (Eigen::Index pair = 0; pair < mean.size(); ++pair) {
    directions[pair] = size[pair] > 0 ? mean[pair] / size[pair] : 0;
  }
  return directions;
}

PairMeans pair_means(const TokenMatrix& vectors, Pairing pairing, int pair_count) {
  if (vectors.rows() < 1 || pair_count < 1 || vectors.cols() < 2 * pair_count) {
    throw InputError("attention.pairs",
                     {{"queries", vectors.cols()}, {"keys", vectors.cols()}, {"turning", 2 * pair_count}});
  }
  PairMeans means{Eigen::VectorXd::Zero(pair_count), Eigen::VectorXcd::Zero(pair_count)};
  for (int pair = 0; pair < pair_count; ++pair) {
    const auto [first, second] = pair_channels(pairing, pair, pair_count);
    // One sum from the first token to the last, so that it does not depend on who else computes.
    double size = 0, real = 0, imaginary = 0;
    for (Eigen::Index token = 0; token < vectors.rows(); ++token) {
      const double x = vectors(token, first), y = vectors(token, second);
      size += std::sqrt(x * x + y * y);
      real += x;
      imaginary += y;
    }
    const auto tokens = static_cast<double>(vectors.rows());
    means.size[pair] = size / tokens;
    means.mean[pair] = std::complex<double>(real, imaginary) / tokens;
  }
  return means;
}

}  // namespace ropescope
