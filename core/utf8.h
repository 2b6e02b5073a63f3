// UTF-8: finding, decoding and encoding the characters (code points) of a string.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ropescope {

/// Returns whether a byte begins a character. Precondition: the string is UTF-8.
constexpr bool begins_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

/// Returns the start of the character after the one at `at`, or the size of the string if there is none.
std::size_t next_character(std::string_view text, std::size_t at);

/// Returns the start of the character that contains the byte at `at`, or `at` itself beyond the string.
std::size_t start_of_character(std::string_view text, std::size_t at);

/// A decoded character and its number of bytes: 0 if UTF-8 has no such character (truncated, overlong, half of a
/// surrogate pair or beyond U+10FFFF). Source: Unicode 15, table 3-7.
struct Character {
  char32_t code = 0xFFFD;
  std::size_t bytes = 0;
};
Character character_at(std::string_view text, std::size_t at);

/// Returns the first offset at which no UTF-8 character begins, or nullopt if the string is UTF-8.
std::optional<std::size_t> find_not_utf8(std::string_view text);

/// Appends a character as UTF-8. Returns false if it is not one (above 10FFFF, half of a surrogate pair).
bool append_utf8(std::string& text, char32_t code);

}  // namespace ropescope
