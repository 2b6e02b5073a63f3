#include "core/short_text.h"

#include <algorithm>
#include <initializer_list>

namespace ropescope {

namespace {

constexpr std::string_view kShortTextGap = "…";

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

/// Where character `number` of a text begins; its end where it has fewer.
std::size_t place_of(std::string_view text, std::size_t number) {
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (begins_character(text[at]) && characters++ == number) return at;
  }
  return text.size();
}

std::size_t characters_of(std::string_view text) {
  std::size_t characters = 0;
  for (const char c : text) characters += begins_character(c) ? 1 : 0;
  return characters;
}

/// The character that begins at `at`; U+FFFD where there is none.
char32_t character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto part = [&](std::size_t i) { return byte(at + i) & 0x3F; };
  const unsigned lead = byte(at);
  if (lead < 0x80) return lead;
  if (lead >> 5 == 6) return (lead & 0x1F) << 6 | part(1);
  if (lead >> 4 == 14) return (lead & 0x0F) << 12 | part(1) << 6 | part(2);
  if (lead >> 3 == 30) return (lead & 0x07) << 18 | part(1) << 12 | part(2) << 6 | part(3);
  return 0xFFFD;
}

struct Block {
  char32_t first, last;
};
bool is_in(char32_t c, std::initializer_list<Block> blocks) {
  return std::any_of(blocks.begin(), blocks.end(),
                     [c](const Block& block) { return c >= block.first && c <= block.last; });
}

std::size_t width_of(char32_t c) {
  if (is_in(c, {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20F0}, {0x3099, 0x309A}, {0xFE00, 0xFE0F}})) return 0;
  const bool wide = is_in(c, {{0x1100, 0x115F},
                              {0x2E80, 0x303E},
                              {0x3041, 0xA4CF},
                              {0xAC00, 0xD7A3},
                              {0xF900, 0xFAFF},
                              {0xFE30, 0xFE6F},
                              {0xFF00, 0xFF60},
                              {0xFFE0, 0xFFE6},
                              {0x20000, 0x3FFFD}});
  return wide ? 2 : 1;
}

}  // namespace

std::size_t screen_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (begins_character(text[at])) width += width_of(character_at(text, at));
  }
  return width;
}

std::string beginning_of(std::string_view text, std::size_t limit) {
  const std::size_t end = place_of(text, limit);
  return end == text.size() ? std::string(text) : std::string(text.substr(0, end)) + "...";
}

std::string without_middle(std::string_view text) {
  const std::size_t characters = characters_of(text);
  if (characters <= kMostEchoed) return std::string(text);
  const std::size_t end = (kMostEchoed - 1) / 2, begin = kMostEchoed - 1 - end;
  return std::string(text.substr(0, place_of(text, begin))) + std::string(kShortTextGap) +
         std::string(text.substr(place_of(text, characters - end)));
}

}  // namespace ropescope
