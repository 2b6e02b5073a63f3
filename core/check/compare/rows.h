// Rows judged: pieces of them shared among threads, and runs of their numbers as fast as the processor reads them.
// compare.h says what a number may differ by; read it first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "core/check/check.h"
#include "core/check/compare/compare.h"

namespace ropescope {

// --- Pieces of rows ------------------------------------------------------------------------------------------------

/// Rows that a thread takes at a time.
struct RowPiece {
  std::int64_t first = 0, count = 0;
};
/// Puts what was found in a piece to what was found before it.
using JoinPiece = std::function<void()>;
/// What one thread does with a piece; it owns its buffers.
using WorkPiece = std::function<JoinPiece(const RowPiece&)>;

/// Works through all rows on as many threads as the options say: each asks `make_worker` for its own worker and takes
/// pieces in the order of the rows until there are none. What the worker returns is called in that order too, one at a
/// time, so that sums and first places are the same for any number of threads. Throws what the first piece that failed
/// threw. False: it was stopped, and not all rows were seen.
bool share_rows(std::int64_t rows, const CheckOptions& options, const std::function<WorkPiece()>& make_worker);

// --- Runs of numbers -----------------------------------------------------------------------------------------------

/// What some rows of a plane of a table show. As it is made it is the neutral element of `join`: nothing was seen.
struct RunResult {
  double largest = -1;  ///< |difference|, beyond what rounding explains
  double excess = -std::numeric_limits<double>::infinity(), strict_excess = excess;  ///< largest, beyond the tolerance
  bool finite = true;               ///< false: something was no finite number, and nothing else counts
  std::int64_t row = -1;            ///< first of the rows among which the largest difference lies; −1: none was seen
  std::int64_t row_of_excess = -1;  ///< first of the rows among which the largest excess lies

  /// Takes in what other rows show; of equal differences the place of the smaller row counts, whichever was joined
  /// first.
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
