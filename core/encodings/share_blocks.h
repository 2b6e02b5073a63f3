#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <stop_token>

#include "core/decay/share_work.h"

namespace ropescope {

/// Calls work(begin, count) for blocks of `size` out of `total` (the last may be smaller), handed out to `threads`
/// threads (0: all cores) until none is left or `stop` is requested. Throws what the first of the blocks that failed
/// threw.
template <class Work>
void share_blocks(std::int64_t total, std::int64_t size, int threads, const std::stop_token& stop, const Work& work) {
  std::atomic<std::int64_t> next = 0;
  std::mutex mutex;
  std::int64_t failed = std::numeric_limits<std::int64_t>::max();
  std::exception_ptr error;
  share_work(threads, [&] {
    for (std::int64_t begin = next.fetch_add(size); begin < total && !stop.stop_requested();
         begin = next.fetch_add(size)) {
      try {
        work(begin, std::min(size, total - begin));
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (begin < failed) failed = begin, error = std::current_exception();
        next = total;
      }
    }
  });
  if (error) std::rethrow_exception(error);
}

}  // namespace ropescope
