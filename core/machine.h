// What the machine is like: the instructions of its processor, the order of its bytes, rows side by side in memory.
#pragma once

#include <Eigen/Core>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace ropescope {

// --- Processor -----------------------------------------------------------------------------------------------------

/// Whether the processor that this runs on has the instructions that the fast paths are compiled for; false on other
/// families of processors. Not those that the environment rules out for tests and benchmarks:
/// ROPESCOPE_PROCESSOR=avx2 (no AVX-512) or =portable (neither).
bool has_avx512();
bool has_avx2();  ///< and fused multiply-add

// The program is compiled for every processor of its family. A loop that is worth it is compiled once more for those
// with 256 bits at a time, or 512, from the same text: mark the wrapper with ROPESCOPE_AVX2 or ROPESCOPE_AVX512, let it
// call the loop, which is ROPESCOPE_INLINE, and ask has_avx2() or has_avx512() which wrapper to take. Fused
// multiply-adds are left out, so that the numbers are the same with both.
#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
#define ROPESCOPE_AVX2 __attribute__((target("avx2")))
#if defined(__clang__)
#define ROPESCOPE_AVX512 __attribute__((target("avx512f")))
#else
#define ROPESCOPE_AVX512 __attribute__((target("avx512f,prefer-vector-width=512")))
#endif
#else
#define ROPESCOPE_AVX2
#define ROPESCOPE_AVX512
#endif

#if defined(__GNUC__)
#define ROPESCOPE_INLINE inline __attribute__((always_inline))
#else
#define ROPESCOPE_INLINE inline
#endif

// --- Byte order ----------------------------------------------------------------------------------------------------

/// The unsigned integer that is as long as a number.
template <class Number>
using BitsOf =
    std::conditional_t<sizeof(Number) == 1, std::uint8_t,
                       std::conditional_t<sizeof(Number) == 2, std::uint16_t,
                                          std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint64_t>>>;

/// Writes a number as its bytes, the least one first, whatever the machine's own order is (compilers make one store of
/// it where that is the same). `to` has sizeof(Number) bytes.
template <class Number>
requires std::is_arithmetic_v<Number>
constexpr void to_little_endian(Number number, char* to) {
  static_assert(sizeof(Number) <= 8);
  const auto bits = std::bit_cast<BitsOf<Number>>(number);
  for (std::size_t k = 0; k < sizeof(Number); ++k) to[k] = static_cast<char>(bits >> (8 * k) & 0xff);
}

/// What to_little_endian() wrote.
template <class Number>
requires std::is_arithmetic_v<Number>
constexpr Number from_little_endian(const char* from) {
  static_assert(sizeof(Number) <= 8);
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < sizeof(Number); ++k)
    bits |= std::uint64_t{static_cast<unsigned char>(from[k])} << (8 * k);
  return std::bit_cast<Number>(static_cast<BitsOf<Number>>(bits));
}

/// Appends the bytes of numbers to a text. `as_they_lie`: whether they lie in memory in that order.
template <class Number>
void append_little_endian(std::span<const Number> numbers, std::string& text,
                          bool as_they_lie = std::endian::native == std::endian::little) {
  if (as_they_lie) {
    text.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
    return;
  }
  std::size_t at = text.size();
  text.resize(at + numbers.size_bytes());
  for (const Number number : numbers) {
    to_little_endian(number, text.data() + at);
    at += sizeof(Number);
  }
}

// --- Matrices by rows ----------------------------------------------------------------------------------------------

/// Row by row in memory, as files and other people's tensors are: rows are tokens (or positions, or queries), columns
/// are channels (or keys, or pairs).
template <class Cell>
using RowMatrix = Eigen::Matrix<Cell, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowMatrixXd = RowMatrix<double>;

}  // namespace ropescope
