#include "core/decay/share_work.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace ropescope {

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

}  // namespace ropescope
