#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <stop_token>

#include "app/figure/series.h"
#include "core/rotary/spec.h"

namespace ropescope {

/// Scores of one query and key over all pairs, the weights laid out for one pairing:
/// right: both rotated by the code of that pairing; other: both by the code of the other pairing (weights of one with
/// the code of the other); mixed: the query by the right code, the key by the other.
struct MixedScores {
  double right = 0, other = 0, mixed = 0;
};

/// The same by distance 0, 1, …, the key held where it stands.
struct MixedCurves {
  std::shared_ptr<const Series> right, other, mixed;
  std::size_t bytes() const;
};

/// q and k as the weights keep them (2n channels in the layout of `pairing`).
struct MixedInput {
  using Result = MixedCurves;
  Eigen::VectorXd frequencies;
  double amplitude = 1;
  Pairing pairing = Pairing::half_split;
  Eigen::VectorXd q, k;
  double key_position = 0;
  double reach = 0;  ///< largest distance

  bool operator==(const MixedInput& other) const;
  double cost() const;
  std::shared_ptr<const MixedCurves> compute(int threads, const std::stop_token& stop) const;
  /// One distance, which may be negative.
  MixedScores scores(double query_position) const;
};

}  // namespace ropescope
