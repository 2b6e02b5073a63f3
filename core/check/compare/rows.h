// Comparison of rows: chunks distributed over threads, and vectorised comparison of contiguous numbers. The tolerances
// are defined in compare.h; read it first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "core/check/compare/compare.h"
#include "core/check/types.h"

namespace ropescope {

// --- Chunks of rows ------------------------------------------------------------------------------------------------

/// A chunk of rows.
struct RowPiece {
  std::int64_t first = 0, count = 0;
};
/// Merges the result of a chunk into those of the previous chunks.
using JoinPiece = std::function<void()>;
/// Processes a chunk on one thread, with its own buffers.
using WorkPiece = std::function<JoinPiece(const RowPiece&)>;

/// Processes all rows on the number of threads in the options. Each thread creates a worker by `make_worker` and takes
/// chunks in row order until none are left. The functions that the workers return are called in that order too, one at
/// a time, so sums and first places do not depend on the number of threads. Rethrows the exception of the first chunk
/// that failed. Returns false if cancelled before all rows were processed.
bool parallel_for_rows(std::int64_t rows, const CheckOptions& options, const std::function<WorkPiece()>& make_worker);

// --- Runs of numbers -----------------------------------------------------------------------------------------------

/// The result for some rows of a table plane. The default value means no rows and is the neutral element of join().
struct RunResult {
  double largest = -1;  ///< largest |difference| that rounding does not explain
  double excess = -std::numeric_limits<double>::infinity(), strict_excess = excess;  ///< largest, beyond the tolerance
  bool finite = true;               ///< false: a number was not finite, and the other fields are invalid
  std::int64_t row = -1;            ///< first row of the group with the largest difference; −1: no rows
  std::int64_t row_of_excess = -1;  ///< first row of the group with the largest excess

  /// Merges the result of other rows. Of equal differences the smaller row is kept, in whatever order they are joined.
  void join(const RunResult& other);
};

/// Consecutive rows of a plane and their expected values, each [rows × pairs].
struct RunNumbers {
  const double *stored, *expected, *size;
  std::int64_t rows = 0, pairs = 0;
  double sign = 1;             ///< sign of the expected values
  const double* angle_errors;  ///< [pairs]
  /// Replaces `size`, which is then reach[row]; angle_errors are then per unit of reach.
  const double* reach = nullptr;
  /// Replaces `stored`: float32 numbers as stored in the file, and the bytes from row to row.
  const std::byte* floats = nullptr;
  std::int64_t row_bytes = 0;
};
/// Judges the rows; `row` stays −1. Precondition: at least one number; `floats` and `reach` only if reads_floats().
RunResult judge_run(const RunNumbers& numbers, const PlaneRule& rule);

/// Returns whether a plane requires only its largest difference and excess, and its rows are contiguous float32 numbers
/// in native byte order.
bool reads_floats(const StoredTensor& plane, const PlaneRule& rule);

/// Returns the part of a difference that rounding does not explain.
double beyond_rounding(const PlaneRule& rule, double difference, double expected);

}  // namespace ropescope
