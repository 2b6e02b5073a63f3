#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/check/compare/tolerances.h"

namespace ropescope {

/// What some rows of a plane of a table show. As it is made it is the neutral element of `join`: nothing was seen.
struct RunResult {
  double largest = -1;  ///< |difference|, beyond what rounding explains
  double excess = -std::numeric_limits<double>::infinity(), strict_excess = excess;  ///< largest, beyond the tolerance
  bool finite = true;               ///< false: something was no finite number, and nothing else counts
  std::int64_t row = -1;            ///< first of the rows among which the largest difference lies; −1: none was seen
  std::int64_t row_of_excess = -1;  ///< the same of the largest excess

  /// Both together; of equal differences the place of the smaller row counts, whichever was joined first.
  void join(const RunResult& other);
};

/// Neighbouring rows of a plane beside what is expected of them, each [rows × pairs].
struct RunNumbers {
  const double *stored, *expected, *size;
  std::int64_t rows = 0, pairs = 0;
  double sign = 1;             ///< of what is expected
  const double* angle_errors;  ///< [pairs]
  /// In place of `size`: it is reach[row], and angle_errors are per unit of it.
  const double* reach = nullptr;
  /// In place of `stored`: float32 numbers as they lie in a file, and the bytes from row to row.
  const std::byte* floats = nullptr;
  std::int64_t row_bytes = 0;
};
/// `row` is left at −1. Precondition: at least one number; `floats` and `reach` only where reads_floats().
RunResult judge_run(const RunNumbers& numbers, const PlaneRule& rule);

/// Whether nothing but the largest difference and the tolerance is asked of a plane of float32 numbers whose rows lie
/// as this machine has them.
bool reads_floats(const StoredTensor& plane, const PlaneRule& rule);

/// What is left of a difference once rounding has explained its part.
double beyond_rounding(const PlaneRule& rule, double difference, double expected);

}  // namespace ropescope
