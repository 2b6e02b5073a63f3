// What is handed to what computes long (Work), and the ways to share work among threads: whoever comes takes the next
// piece (share_work), blocks of a known total (share_blocks), and a crew that stays for work that comes many times a
// second. What is computed never depends on how many.
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

/// On how many threads something is computed, what stops it, and who is told how far it has come.
struct Work {
  int threads = 0;  ///< 0: as many as there are cores
  std::stop_token stop = {};
  std::function<void(double)> progress = {};  ///< is told 0 … 1 by the caller's thread; empty: nobody is

  bool stopped() const { return stop.stop_requested(); }
  void tell(double fraction) const {
    if (progress) progress(fraction);
  }
};

// --- Whoever comes takes the next piece ----------------------------------------------------------------------------

/// How many threads are meant by a number of them: itself, or as many as there are cores for 0. At least 1.
int worker_count(int threads);

/// Runs `work` on this thread and on others (0: as many as there are cores) at the same time, and returns when all are
/// done: `work` takes its pieces from a counter. Where the system gives fewer threads, those there are do it all.
/// Throws what one of them threw, that of this thread before those of others, after all are done.
void share_work(int threads, const std::function<void()>& work);

// --- Blocks of a total ---------------------------------------------------------------------------------------------

/// Calls body(begin, count) for blocks of `size` out of `total` (the last may be smaller), handed out to the threads of
/// the work until none is left or it is stopped. Throws what the first of the blocks that failed threw.
template <class Body>
void share_blocks(std::int64_t total, std::int64_t size, const Work& work, const Body& body) {
  std::atomic<std::int64_t> next = 0;
  std::mutex mutex;
  std::int64_t failed = std::numeric_limits<std::int64_t>::max();
  std::exception_ptr error;
  share_work(work.threads, [&] {
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

// --- A crew that stays ---------------------------------------------------------------------------------------------

/// Threads that stay, for work that comes many times a second: handing out work allocates nothing. The caller works
/// too. Which thread does which piece is left open, so a piece must not depend on it.
class Crew {
 public:
  /// `threads` ≥ 1 with the caller's own. Throws std::system_error where the system gives no more.
  explicit Crew(int threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Calls work(0) … work(count − 1), shared among the threads, and waits for all. `work` must not throw. A work of two
  /// arguments is told who does it, too: 0 … threads − 1, so that every thread can have room of its own.
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

// --- Stopping ------------------------------------------------------------------------------------------------------

/// Is looked at before every unit of a step's work, so that a stop is soon heard, however large the model: no unit is
/// more than 70 million multiplications (some milliseconds), whatever the length and the batch.
class Halt {
 public:
  /// Told of every unit before it begins: about how many multiplications it is. By any thread.
  using Watch = std::function<void(std::int64_t)>;

  Halt() = default;
  /// Both must outlive it.
  Halt(const std::stop_token& stop, const Watch& watch) : stop_(&stop), watch_(watch ? &watch : nullptr) {}

  /// True where the unit, and all that would follow, is not wanted any more.
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
/// work(range) for `at_once` of the rows at a time, each a unit; false where it was halted.
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
