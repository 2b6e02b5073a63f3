// The largest piece of memory that was asked for by new, for fuzzers that compare it with the size of their input. It
// replaces operator new: one source of a program may include it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace tests {

/// Bytes; set it to 0 before what is measured.
inline std::size_t largest_piece = 0;

/// Traps if a piece was larger than `times` the input and a mebibyte.
inline void expect_modest(std::size_t input, std::size_t times) {
  if (largest_piece > times * input + (std::size_t{1} << 20)) __builtin_trap();
}

}  // namespace tests

void* operator new(std::size_t bytes) {
  tests::largest_piece = std::max(tests::largest_piece, bytes);
  if (void* const piece = std::malloc(std::max<std::size_t>(bytes, 1))) return piece;
  throw std::bad_alloc();
}
void operator delete(void* piece) noexcept {
  std::free(piece);
}
void operator delete(void* piece, std::size_t) noexcept {
  std::free(piece);
}
