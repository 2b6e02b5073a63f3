// Properties of the machine: instruction sets of the processor, byte order, and row-major matrices.
#pragma once

#include <Eigen/Core>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace ropescope {

// --- Processor -----------------------------------------------------------------------------------------------------

/// Returns whether the processor has the instructions that the fast paths are compiled for; false on other processor
/// families. The environment can rule them out for tests and benchmarks: ROPESCOPE_PROCESSOR=avx2 (no AVX-512) or
/// =portable (neither).
bool has_avx512();
bool has_avx2();  ///< AVX2 and fused multiply-add

// The program is compiled for every processor of its family. A hot loop is compiled again, from the same source, for
// 256-bit or 512-bit vectors: mark the wrapper with ROPESCOPE_AVX2 or ROPESCOPE_AVX512, let it call the loop, which is
// ROPESCOPE_INLINE, and choose the wrapper with has_avx2() or has_avx512(). Fused multiply-adds are avoided, so all
// variants give the same numbers.
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

// --- Bytes ---------------------------------------------------------------------------------------------------------

/// Returns the bytes as text, without copying.
inline std::string_view characters_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The unsigned integer type with the size of `Number`.
template <class Number>
using BitsOf =
    std::conditional_t<sizeof(Number) == 1, std::uint8_t,
                       std::conditional_t<sizeof(Number) == 2, std::uint16_t,
                                          std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint64_t>>>;

/// Writes a number as little-endian bytes, whatever the machine's byte order (compilers emit a single store on
/// little-endian machines). `to` has sizeof(Number) bytes.
template <class Number>
requires std::is_arithmetic_v<Number>
constexpr void to_little_endian(Number number, char* to) {
  static_assert(sizeof(Number) <= 8);
  const auto bits = std::bit_cast<BitsOf<Number>>(number);
  for (std::size_t k = 0; k < sizeof(Number); ++k) to[k] = static_cast<char>(bits >> (8 * k) & 0xff);
}

/// Reads a number that to_little_endian() wrote.
template <class Number>
requires std::is_arithmetic_v<Number>
constexpr Number from_little_endian(const char* from) {
  static_assert(sizeof(Number) <= 8);
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < sizeof(Number); ++k)
    bits |= std::uint64_t{static_cast<unsigned char>(from[k])} << (8 * k);
  return std::bit_cast<Number>(static_cast<BitsOf<Number>>(bits));
}

/// Appends numbers to a string as little-endian bytes. `as_they_lie`: whether memory has that order already.
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

// --- Row-major matrices --------------------------------------------------------------------------------------------

/// A row-major matrix, like tensors in files and in other libraries: rows are tokens (or positions, or queries),
/// columns are channels (or keys, or pairs).
template <class Cell>
using RowMatrix = Eigen::Matrix<Cell, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowMatrixXd = RowMatrix<double>;

}  // namespace ropescope
