// UTF-8: where the characters (code points) of a text begin, which they are, and how they are written.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ropescope {

/// Whether a byte begins a character, in text that is UTF-8.
constexpr bool begins_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

/// Where the character after the one at `at` begins; the size of a text that has no more.
std::size_t next_character(std::string_view text, std::size_t at);

/// Where the character begins that the byte at `at` belongs to; `at` itself from the end of the text on.
std::size_t start_of_character(std::string_view text, std::size_t at);

/// The character that begins at `at`, and its bytes: none where UTF-8 has no such character (it is cut short, overlong,
/// half of a surrogate pair or beyond U+10FFFF). Source: Unicode 15, table 3-7.
struct Character {
  char32_t code = 0xFFFD;
  std::size_t bytes = 0;
};
Character character_at(std::string_view text, std::size_t at);

/// Where the first byte stands that begins no character of UTF-8; none in a text that is UTF-8.
std::optional<std::size_t> find_not_utf8(std::string_view text);

/// Adds a character as UTF-8; false for a number that is none (above 10FFFF, half of a surrogate pair).
bool append_utf8(std::string& text, char32_t code);

}  // namespace ropescope
