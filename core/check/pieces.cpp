#include "core/check/pieces.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "core/decay/share_work.h"

namespace ropescope {

namespace {

constexpr std::int64_t kPiece = 2048;

}  // namespace

bool share_rows(std::int64_t rows, const CheckOptions& options, const std::function<void(const TakePiece&)>& work) {
  std::atomic<std::int64_t> next = 0;
  std::mutex mutex;
  std::exception_ptr error;
  const auto caller = std::this_thread::get_id();
  const TakePiece take = [&]() -> std::optional<RowPiece> {
    if (options.stop.stop_requested()) return std::nullopt;
    const std::int64_t first = next.fetch_add(kPiece);
    if (first >= rows) return std::nullopt;
    if (options.progress && std::this_thread::get_id() == caller) {
      options.progress(static_cast<double>(first) / static_cast<double>(rows), "comparing");
    }
    return RowPiece{first, std::min(kPiece, rows - first)};
  };
  const auto guarded = [&] {
    try {
      work(take);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
      next = rows;
    }
  };
  // A few rows are done before another thread has started.
  share_work(rows <= kPiece ? 1 : options.threads, guarded);
  if (error) std::rethrow_exception(error);
  return !options.stop.stop_requested();
}

}  // namespace ropescope
