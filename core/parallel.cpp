// Implementation of dynamic scheduling and of the persistent thread pool. Read parallel.h first.
//
// Contents: Dynamic scheduling; Persistent thread pool.

#include "core/parallel.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace ropescope {

// --- Dynamic scheduling --------------------------------------------------------------------------------------------

int worker_count(int threads) {
  return threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void run_on_threads(int threads, const std::function<void()>& work) {
  const auto wanted = static_cast<std::size_t>(worker_count(threads));
  // An exception that leaves a thread terminates the program, so each is kept until all threads are done.
  std::vector<std::exception_ptr> errors(wanted);
  const auto guarded = [&](std::size_t index) {
    try {
      work();
    } catch (...) {
      errors[index] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    helpers.reserve(wanted - 1);
    try {
      for (std::size_t i = 1; i < wanted; ++i) helpers.emplace_back(guarded, i);
    } catch (const std::system_error&) {
      // No more threads: this one and those that started share the pieces.
    }
    guarded(0);
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

// --- Persistent thread pool ----------------------------------------------------------------------------------------

ThreadPool::ThreadPool(int threads) {
  try {
    for (int i = 1; i < threads; ++i) threads_.emplace_back([this, i] { wait_for_work(i); });
  } catch (...) {
    // Started threads are joined when the members are destroyed, but ~ThreadPool() does not run and cannot end them.
    leave();
    throw;
  }
}

ThreadPool::~ThreadPool() {
  leave();
}

void ThreadPool::leave() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  begin_.notify_all();
}

void ThreadPool::share(std::int64_t count, Call call, const void* work) {
  if (threads_.empty()) {
    for (std::int64_t piece = 0; piece < count; ++piece) call(work, piece, 0);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    count_ = count, call_ = call, work_ = work;
    next_ = 0;
    busy_ = static_cast<int>(threads_.size());
    ++round_;
  }
  begin_.notify_all();
  for (std::int64_t piece = next_++; piece < count; piece = next_++) call(work, piece, 0);
  std::unique_lock lock(mutex_);
  end_.wait(lock, [this] { return busy_ == 0; });
}

void ThreadPool::wait_for_work(int worker) {
  std::uint64_t seen = 0;
  for (;;) {
    std::unique_lock lock(mutex_);
    begin_.wait(lock, [&] { return leaving_ || round_ != seen; });
    if (leaving_) return;
    seen = round_;
    const Call call = call_;
    const void* const work = work_;
    const std::int64_t count = count_;
    lock.unlock();
    for (std::int64_t piece = next_++; piece < count; piece = next_++) call(work, piece, worker);
    lock.lock();
    if (--busy_ == 0) end_.notify_one();
  }
}

}  // namespace ropescope
