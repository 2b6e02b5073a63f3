#include "app/resources/mapped_ranges.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <mutex>

namespace ropescope {

struct GuardedRange {
  std::atomic<bool> taken = false;
  std::atomic<std::uintptr_t> begin = 0, end = 0;
  std::atomic<bool> cut = false;
};

namespace {

/// Globals, as a signal handler is given nothing but the address: all of them are lock-free or set before it is.
std::array<GuardedRange, 64> ranges;
std::once_flag installed;
std::uintptr_t page_bytes = 4096;
struct sigaction before {};

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

/// Calls nothing but mmap and sigaction, which are system calls here.
void on_bus_error(int, siginfo_t* information, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(information->si_addr);
  for (GuardedRange& range : ranges) {
    const std::uintptr_t end = range.end.load();
    if (address < range.begin.load() || address >= end) continue;
    const std::uintptr_t page = address - address % page_bytes;
    // All that follows is beyond the file's end too.
    void* zeros =
        ::mmap(reinterpret_cast<void*>(page), end - page, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (zeros == MAP_FAILED) break;
    range.cut = true;
    return;
  }
  // Not ours: whoever came before gets it when the access is tried again.
  ::sigaction(SIGBUS, &before, nullptr);
}

void install() {
  page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, &before);
}

}  // namespace

GuardedRange* guard_range(void* begin, std::size_t bytes) {
  std::call_once(installed, install);
  for (GuardedRange& range : ranges) {
    if (range.taken.exchange(true)) continue;
    const auto first = reinterpret_cast<std::uintptr_t>(begin);
    range.cut = false;
    range.begin = first;
    range.end = first + bytes;
    return &range;
  }
  return nullptr;
}

bool was_cut(const GuardedRange* range) {
  return range->cut;
}

void release_range(GuardedRange* range) {
  range->end = 0;
  range->begin = 0;
  range->taken = false;
}

}  // namespace ropescope
