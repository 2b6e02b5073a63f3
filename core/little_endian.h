#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace ropescope {

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

}  // namespace ropescope
