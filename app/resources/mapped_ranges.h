#pragma once

#include <cstddef>

namespace ropescope {

/// Addresses of a mapped file. Where the file becomes shorter while it is mapped, looking at the part that is gone
/// would end the program (SIGBUS); within a guarded range that part reads as 0 instead, and the range remembers it.
struct GuardedRange;

/// Guards the pages of a mapping; nullptr where there are already 64. Any thread may call it.
GuardedRange* guard_range(void* begin, std::size_t bytes);
/// Whether a part that is gone was looked at.
bool was_cut(const GuardedRange* range);
void release_range(GuardedRange* range);

}  // namespace ropescope
