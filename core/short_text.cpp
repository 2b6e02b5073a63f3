#include "core/short_text.h"

namespace ropescope {

namespace {

constexpr std::string_view kGap = "…";

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

}  // namespace

std::string without_middle(std::string_view text) {
  const std::size_t characters = characters_of(text);
  if (characters <= kMostEchoed) return std::string(text);
  const std::size_t end = (kMostEchoed - 1) / 2, begin = kMostEchoed - 1 - end;
  return std::string(text.substr(0, place_of(text, begin))) + std::string(kGap) +
         std::string(text.substr(place_of(text, characters - end)));
}

}  // namespace ropescope
