#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <atomic>
#include <stop_token>

#include "core/decay/share_work.h"

namespace ropescope {

/// How many tokens a thread takes at a time.
inline constexpr Eigen::Index kTokenBlock = 64;

/// Calls work(begin, count) for every block of tokens, on `threads` threads, until all are done or `stop` is requested.
template <class Work>
void share_token_blocks(Eigen::Index tokens, int threads, const std::stop_token& stop, const Work& work) {
  std::atomic<Eigen::Index> next = 0;
  share_work(threads, [&] {
    for (Eigen::Index begin = next.fetch_add(kTokenBlock); begin < tokens && !stop.stop_requested();
         begin = next.fetch_add(kTokenBlock)) {
      work(begin, std::min(kTokenBlock, tokens - begin));
    }
  });
}

}  // namespace ropescope
