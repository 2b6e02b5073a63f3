// Counts the calls of every form of operator new in this test program.
#include "tests/laws/allocations.h"

#include <new>

namespace {

constinit std::atomic<std::int64_t> counted = 0;

void* take_or_null(std::size_t size, std::size_t alignment) {
  ++counted;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  return std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
}
void* take(std::size_t size, std::size_t alignment) {
  void* const room = take_or_null(size, alignment);
  if (!room) throw std::bad_alloc();
  return room;
}

}  // namespace

namespace ropescope {

std::int64_t allocations() {
  return counted;
}

}  // namespace ropescope

// All forms: those of a sanitizer's library do not call one another as the standard's do.
void* operator new(std::size_t size) {
  return take(size, alignof(std::max_align_t));
}
void* operator new[](std::size_t size) {
  return take(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return take(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return take(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return take_or_null(size, alignof(std::max_align_t));
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return take_or_null(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return take_or_null(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return take_or_null(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* room) noexcept {
  std::free(room);
}
void operator delete(void* room, std::size_t) noexcept {
  std::free(room);
}
void operator delete(void* room, std::align_val_t) noexcept {
  std::free(room);
}
void operator delete(void* room, std::size_t, std::align_val_t) noexcept {
  std::free(room);
}
void operator delete(void* room, const std::nothrow_t&) noexcept {
  std::free(room);
}
void operator delete(void* room, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(room);
}
void operator delete[](void* room) noexcept {
  std::free(room);
}
void operator delete[](void* room, std::size_t) noexcept {
  std::free(room);
}
void operator delete[](void* room, std::align_val_t) noexcept {
  std::free(room);
}
void operator delete[](void* room, std::size_t, std::align_val_t) noexcept {
  std::free(room);
}
void operator delete[](void* room, const std::nothrow_t&) noexcept {
  std::free(room);
}
void operator delete[](void* room, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(room);
}
