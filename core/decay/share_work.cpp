#include "core/decay/share_work.h"

#include <system_error>
#include <thread>
#include <vector>

namespace ropescope {

void share_work(int threads, const std::function<void()>& work) {
  const int wanted = threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency());
  std::vector<std::jthread> helpers;
  try {
    for (int i = 1; i < wanted; ++i) helpers.emplace_back([&work] { work(); });
  } catch (const std::system_error&) {
    // No more threads: those that started and this one share the pieces.
  }
  work();
}

}  // namespace ropescope
