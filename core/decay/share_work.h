#pragma once

#include <functional>

namespace ropescope {

/// How many threads are meant by a number of them: itself, or as many as there are cores for 0. At least 1.
int worker_count(int threads);

/// Runs `work` on this thread and on others (0: as many as there are cores) at the same time, and returns when all are
/// done: `work` takes its pieces from a counter. Where the system gives fewer threads, those there are do it all.
/// Throws what one of them threw, that of this thread before those of others, after all are done.
void share_work(int threads, const std::function<void()>& work);

}  // namespace ropescope
