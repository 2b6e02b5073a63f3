// Decoding, encoding and validation of UTF-8. Read utf8.h first.

#include "core/utf8.h"

namespace ropescope {

namespace {

/// Returns the bytes of a character: two, three and four from U+0080, U+0800 and U+10000.
std::size_t bytes_of_character(char32_t code) {
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

bool is_character(char32_t code) {
  return code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

}  // namespace

std::size_t next_character(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && !begins_character(text[at])) ++at;
  return at;
}

std::size_t start_of_character(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && !begins_character(text[at])) --at;
  return at;
}

Character character_at(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC0 || first > 0xF7 || text.size() - at < bytes) return {};
  char32_t code = first & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if (begins_character(text[at + i])) return {};
    code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3Fu);
  }
  return bytes_of_character(code) == bytes && is_character(code) ? Character{code, bytes} : Character{};
}

std::optional<std::size_t> find_not_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = character_at(text, at).bytes;
    if (bytes == 0) return at;
    at += bytes;
  }
  return std::nullopt;
}

bool append_utf8(std::string& text, char32_t code) {
  if (!is_character(code)) return false;
  const std::size_t bytes = bytes_of_character(code);
  // The highest bits of the first byte encode the number of bytes; each of the others has six bits.
  const unsigned marks = bytes == 1 ? 0 : 0xF00u >> bytes;
  text += static_cast<char>((marks & 0xFF) | code >> 6 * (bytes - 1));
  for (std::size_t i = bytes - 1; i-- > 0;) text += static_cast<char>(0x80 | (code >> 6 * i & 0x3F));
  return true;
}

}  // namespace ropescope
