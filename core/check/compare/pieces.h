#pragma once

#include <functional>

#include "core/check/check.h"

namespace ropescope {

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

}  // namespace ropescope
