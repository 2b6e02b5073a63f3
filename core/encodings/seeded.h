#pragma once

#include <cstdint>
#include <span>

#include "core/encodings/encoding.h"
#include "core/encodings/plan.h"

namespace ropescope {

/// What stands for a learned table: seeded, smooth in the row and random in the column. With rows r = 0 … count − 1,
///   entry(r, c) = level · Σ_{j=0..8} w_j a_{jc} cos(πj(r + ½)/count),  w_j ∝ 1/(1 + j),
/// a_{jc} independent standard normal numbers. The weights are such that entries have mean square level².
class SmoothTable {
 public:
  /// `stream` keeps the tables of one encoding apart. count, width ≥ 1.
  SmoothTable(std::int64_t count, int width, double level, std::uint64_t seed, std::uint64_t stream);

  std::int64_t count() const { return count_; }
  int width() const { return static_cast<int>(coefficients_.cols()); }
  /// Row r; NaN where r is not one of 0 … count − 1.
  void row(std::int64_t r, std::span<double> out) const;
  /// The whole table. Throws InputError where it has more than 2^26 entries.
  TokenMatrix all() const;

 private:
  std::int64_t count_;
  TokenMatrix coefficients_;
};

/// level of learned vectors that stand beside sinusoids, whose entries have mean square 1/2.
inline constexpr double kVectorLevel = 0.70710678118654752440;

/// Independent normal entries of variance 1/columns, so that a product keeps lengths on average.
Weights seeded_weights(int rows, int columns, std::uint64_t seed, std::uint64_t stream);
/// Independent normal entries of standard deviation `level`.
Eigen::VectorXd seeded_vector(int size, double level, std::uint64_t seed, std::uint64_t stream);

}  // namespace ropescope
