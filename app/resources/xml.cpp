#include "app/resources/xml.h"

#include <cstddef>
#include <cstdint>

namespace ropescope {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

unsigned byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
}

/// Bytes of the character of several bytes that begins there; 0 where XML has no such character.
std::size_t length_of(std::string_view text, std::size_t at) {
  const unsigned first = byte_at(text, at);
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  std::uint32_t code = first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned next = byte_at(text, at + i);
    if ((next & 0xC0u) != 0x80u) return 0;
    code = code << 6 | (next & 0x3Fu);
  }
  constexpr std::uint32_t kShortest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_half_of_pair = code >= 0xD800 && code <= 0xDFFF, is_none = code == 0xFFFE || code == 0xFFFF;
  return code < kShortest[length] || code > 0x10FFFF || is_half_of_pair || is_none ? 0 : length;
}

std::string_view entity_of(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return {};
  }
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const unsigned byte = byte_at(text, at);
    const std::string_view entity = entity_of(text[at]);
    if (byte >= 0x80) {
      const std::size_t length = length_of(text, at);
      out += length == 0 ? kReplacement : text.substr(at, length);
      at += length == 0 ? 1 : length;
      continue;
    }
    const bool is_control = (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r');
    if (!entity.empty()) {
      out += entity;
    } else if (is_control) {
      out += kReplacement;
    } else {
      out += text[at];
    }
    ++at;
  }
  return out;
}

}  // namespace ropescope
