#pragma once

#include <functional>
#include <optional>

#include "core/check/check.h"

namespace ropescope {

/// Rows that a thread takes at a time.
struct RowPiece {
  std::int64_t first = 0, count = 0;
};
using TakePiece = std::function<std::optional<RowPiece>()>;

/// Calls `work` on as many threads as the options say; each takes pieces until there are none. Throws what one of them
/// threw. False: it was stopped.
bool share_rows(std::int64_t rows, const CheckOptions& options, const std::function<void(const TakePiece&)>& work);

}  // namespace ropescope
