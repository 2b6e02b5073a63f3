// What parallel.h declares; read it first.
//
// Contents: Whoever comes takes the next piece; A crew that stays.

#include "core/parallel.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace ropescope {

// --- Whoever comes takes the next piece ----------------------------------------------------------------------------

int worker_count(int threads) {
  return threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void share_work(int threads, const std::function<void()>& work) {
  const auto wanted = static_cast<std::size_t>(worker_count(threads));
  // An exception that leaves a thread ends the program: each is kept until all threads are done.
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
      // No more threads: those that started and this one share the pieces.
    }
    guarded(0);
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

// --- A crew that stays ---------------------------------------------------------------------------------------------

Crew::Crew(int threads) {
  try {
    for (int i = 1; i < threads; ++i) threads_.emplace_back([this, i] { wait_for_work(i); });
  } catch (...) {
    // Those that began are joined when the members go, and no destructor of ours tells them to leave.
    leave();
    throw;
  }
}

Crew::~Crew() {
  leave();
}

void Crew::leave() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  begin_.notify_all();
}

void Crew::share(std::int64_t count, Call call, const void* work) {
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

void Crew::wait_for_work(int worker) {
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
