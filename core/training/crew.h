#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace ropescope {

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
  template <class Work>
  void share(std::int64_t count, const Work& work) {
    share(
        count,
        [](const void* what, std::int64_t piece, int worker) {
          const Work& called = *static_cast<const Work*>(what);
          if constexpr (std::is_invocable_v<const Work&, std::int64_t, int>) {
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

}  // namespace ropescope
