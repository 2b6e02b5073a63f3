// Options of long computations (Work), and ways to distribute work over threads: dynamic scheduling (run_on_threads),
// fixed blocks (parallel_for_blocks), and a persistent thread pool for work that recurs many times per second. Results
// never depend on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <vector>

namespace ropescope {

// --- Work ----------------------------------------------------------------------------------------------------------

/// Options of a computation: number of threads, cancellation, and progress reports.
struct Work {
  int threads = 0;  ///< 0: one per core
  std::stop_token stop = {};
  std::function<void(double)> progress = {};  ///< called with 0 … 1 on the caller's thread; may be empty

  bool stopped() const { return stop.stop_requested(); }
  void tell(double fraction) const {
    if (progress) progress(fraction);
  }
};

// --- Dynamic scheduling --------------------------------------------------------------------------------------------

/// Returns the number of threads: `threads`, or the number of cores for 0. At least 1.
int worker_count(int threads);

/// Runs `work` on this thread and on others (0: one thread per core) concurrently, and returns when all are done.
/// `work` takes its pieces from a shared counter, so fewer threads complete it too if the system has no more. Rethrows
/// an exception of one of them after all are done, preferring that of this thread.
void run_on_threads(int threads, const std::function<void()>& work);

// --- Blocks of a total ---------------------------------------------------------------------------------------------

/// Calls body(begin, count) for blocks of `size` out of `total` (the last may be smaller), distributed over the threads
/// of `work` until none is left or it is cancelled. Rethrows the exception of the first block that failed.
template <class Body>
void parallel_for_blocks(std::int64_t total, std::int64_t size, const Work& work, const Body& body) {
  std::atomic<std::int64_t> next = 0;
  std::mutex mutex;
  std::int64_t failed = std::numeric_limits<std::int64_t>::max();
  std::exception_ptr error;
  run_on_threads(work.threads, [&] {
    for (std::int64_t begin = next.fetch_add(size); begin < total && !work.stopped(); begin = next.fetch_add(size)) {
      try {
        body(begin, std::min(size, total - begin));
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (begin < failed) failed = begin, error = std::current_exception();
        next = total;
      }
    }
  });
  if (error) std::rethrow_exception(error);
}

// --- Persistent thread pool ----------------------------------------------------------------------------------------

/// A persistent thread pool, for work that recurs many times per second: distributing work allocates nothing. The
/// caller's thread works too. The assignment of pieces to threads is arbitrary, so no piece may depend on it.
class ThreadPool {
 public:
  /// `threads` ≥ 1 includes the caller's thread. Throws std::system_error if the system has no more threads.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Calls work(0) … work(count − 1), distributed over the threads, and waits for all. `work` must not throw. If it has
  /// two arguments, the second is the thread's index, 0 … threads − 1, for example for per-thread memory.
  template <class Body>
  void share(std::int64_t count, const Body& work) {
    share(
        count,
        [](const void* what, std::int64_t piece, int worker) {
          const Body& called = *static_cast<const Body*>(what);
          if constexpr (std::is_invocable_v<const Body&, std::int64_t, int>) {
            called(piece, worker);
          } else {
            called(piece);
          }
        },
        &work);
  }

 private:
  using Call = void (*)(const void*, std::int64_t, int);
  void share(std::int64_t count, Call call, const void* work);
  void wait_for_work(int worker);
  void leave();

  std::mutex mutex_;
  std::condition_variable begin_, end_;
  std::uint64_t round_ = 0;
  int busy_ = 0;
  bool leaving_ = false;
  std::atomic<std::int64_t> next_ = 0;
  std::int64_t count_ = 0;
  Call call_ = nullptr;
  const void* work_ = nullptr;
  std::vector<std::jthread> threads_;
};

// --- Cancellation --------------------------------------------------------------------------------------------------

/// A cancellation check before every unit of a step, so that a step is cancelled soon, however large the model. No unit
/// has more than 70 million multiplications (some milliseconds), whatever the length and the batch.
class Halt {
 public:
  /// Called before every unit, on any thread, with its approximate number of multiplications.
  using Watch = std::function<void(std::int64_t)>;

  Halt() = default;
  /// Both arguments must outlive it.
  Halt(const std::stop_token& stop, const Watch& watch) : stop_(&stop), watch_(watch ? &watch : nullptr) {}

  /// Returns true if the unit, and all that would follow, is cancelled.
  bool before(std::int64_t multiplications) const {
    if (watch_) (*watch_)(multiplications);
    return requested();
  }
  bool requested() const { return stop_ && stop_->stop_requested(); }

 private:
  const std::stop_token* stop_ = nullptr;
  const Watch* watch_ = nullptr;
};

struct RowRange {
  std::int64_t begin, count;
};
/// Calls work(range) for at most `at_once` rows at a time, each range a unit. Returns false if it was cancelled.
template <class Body>
bool for_rows(std::int64_t rows, std::int64_t at_once, std::int64_t multiplications_of_row, const Halt& halt,
              const Body& work) {
  for (std::int64_t begin = 0; begin < rows; begin += at_once) {
    const RowRange some{begin, rows - begin < at_once ? rows - begin : at_once};
    if (halt.before(some.count * multiplications_of_row)) return false;
    work(some);
  }
  return true;
}

}  // namespace ropescope
