#include "core/check/compare/pieces.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/decay/share_work.h"

namespace ropescope {

namespace {

constexpr std::int64_t kPiecesPiece = 2048;
/// Pieces that may be done before one in front of them: a thread that was put to sleep stops the others no sooner.
constexpr std::size_t kMostWaiting = 32;

/// The pieces of some rows: handed out in order, joined in order.
class HandedPieces {
 public:
  HandedPieces(std::int64_t rows, const CheckOptions& options) : rows_(rows), options_(options) {}

  std::optional<RowPiece> take() {
    std::int64_t first = 0;
    {
      const std::lock_guard lock(mutex_);
      if (failed_ < rows_ || options_.stop.stop_requested()) return std::nullopt;
      first = next_;
      if (first >= rows_) return std::nullopt;
      next_ = std::min(rows_, first + kPiecesPiece);
    }
    if (options_.progress && std::this_thread::get_id() == caller_) {
      options_.progress(static_cast<double>(first) / static_cast<double>(rows_), Words("check.step.compare"));
    }
    return RowPiece{first, std::min(kPiecesPiece, rows_ - first)};
  }

  void put(const RowPiece& piece, JoinPiece join) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return piece.first == joined_ || waiting_.size() < kMostWaiting || failed_ < rows_; });
    waiting_.emplace(piece.first, std::make_pair(piece.count, std::move(join)));
    for (auto first = waiting_.begin(); first != waiting_.end() && first->first == joined_; first = waiting_.begin()) {
      first->second.second();
      joined_ += first->second.first;
      waiting_.erase(first);
    }
    changed_.notify_all();
  }

  /// Every piece in front of one that fails was handed out before it, and is worked on to its end: whichever fails
  /// first in time, the first in the order of the rows is known at last.
  void fail(std::int64_t first, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (first < failed_) failed_ = first, error_ = std::move(error);
    changed_.notify_all();
  }

  bool finish() const {
    if (error_) std::rethrow_exception(error_);
    return joined_ >= rows_;
  }

 private:
  const std::int64_t rows_;
  const CheckOptions& options_;
  const std::thread::id caller_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t next_ = 0, joined_ = 0, failed_ = rows_;
  std::map<std::int64_t, std::pair<std::int64_t, JoinPiece>> waiting_;
  std::exception_ptr error_;
};

}  // namespace

bool share_rows(std::int64_t rows, const CheckOptions& options, const std::function<WorkPiece()>& make_worker) {
  HandedPieces pieces(rows, options);
  const auto work = [&] {
    std::int64_t at = -1;
    try {
      const WorkPiece worker = make_worker();
      while (const auto piece = pieces.take()) {
        at = piece->first;
        pieces.put(*piece, worker(*piece));
      }
    } catch (...) {
      pieces.fail(at, std::current_exception());
    }
  };
  // A few rows are done before another thread has started.
  const std::int64_t count = (rows + kPiecesPiece - 1) / kPiecesPiece;
  const std::int64_t threads = std::min<std::int64_t>(count, worker_count(options.threads));
  share_work(static_cast<int>(std::max<std::int64_t>(threads, 1)), work);
  return pieces.finish();
}

}  // namespace ropescope
