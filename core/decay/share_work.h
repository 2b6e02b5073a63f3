#pragma once

#include <functional>

namespace ropescope {

/// Runs `work` on this thread and on others (0: as many as there are cores) at the same time, and returns when all are
/// done: `work` takes its pieces from a counter. Where the system gives fewer threads, those there are do it all.
void share_work(int threads, const std::function<void()>& work);

}  // namespace ropescope
