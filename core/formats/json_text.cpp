#include "core/formats/json_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "core/error.h"

namespace ropescope {

namespace {

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// Bytes of the character that begins the text; 0 where none does. Source: Unicode 15, table 3-7.
std::size_t character_length(std::string_view text) {
  const auto byte = [text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first < 0xE0 ? 2 : first >= 0xE0 && first < 0xF0 ? 3 : 4;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  // The second byte shuts out overlong forms, surrogates and what is beyond U+10FFFF.
  const unsigned least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < least || byte(1) > most) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (!is_continuation(text[i])) return 0;
  }
  return length;
}

bool is_word(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

struct Spelling {
  std::string_view word;
  double value;
};
constexpr std::array<Spelling, 3> kSpellings = {{{"NaN", std::numeric_limits<double>::quiet_NaN()},
                                                 {"Infinity", std::numeric_limits<double>::infinity()},
                                                 {"-Infinity", -std::numeric_limits<double>::infinity()}}};

/// One that begins at the offset and is a whole word; null: none.
const Spelling* spelling_at(std::string_view text, std::size_t at) {
  if (at > 0 && (is_word(text[at - 1]) || text[at - 1] == '-')) return nullptr;
  for (const Spelling& spelling : kSpellings) {
    const std::size_t end = at + spelling.word.size();
    if (text.substr(at, spelling.word.size()) != spelling.word) continue;
    if (end < text.size() && is_word(text[end])) continue;
    return &spelling;
  }
  return nullptr;
}

}  // namespace

Words place_in(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t newline = before.rfind('\n');
  const std::string_view in_line = newline == std::string_view::npos ? before : before.substr(newline + 1);
  const auto column = 1 + std::count_if(in_line.begin(), in_line.end(), [](char c) { return !is_continuation(c); });
  return {"place.line_column", {{"line", line}, {"column", column}}};
}

std::optional<std::size_t> find_not_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = character_length(text.substr(at, 4));
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

void require_utf8(std::string_view text, const Words& source) {
  const auto at = find_not_utf8(text);
  if (!at) return;
  const unsigned byte = static_cast<unsigned char>(text[*at]);
  std::array<char, 8> hexadecimal{};
  std::snprintf(hexadecimal.data(), hexadecimal.size(), "0x%02X", byte);
  throw InputError(source, "json.not_utf8",
                   {{"place", place_in(text, *at)}, {"byte", byte}, {"hexadecimal", hexadecimal.data()}});
}

std::size_t end_of_json_text(std::string_view json, std::size_t quote) {
  for (std::size_t i = quote + 1; i < json.size(); ++i) {
    if (json[i] == '"') return i;
    if (json[i] == '\\') ++i;
  }
  return json.size();
}

PythonNumbers find_python_numbers(std::string_view text) {
  PythonNumbers numbers;
  std::size_t texts = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      i = end_of_json_text(text, i);
      ++texts;
      continue;
    }
    const Spelling* spelling = c == 'N' || c == 'I' || c == '-' ? spelling_at(text, i) : nullptr;
    if (!spelling) continue;
    if (numbers.text.empty()) numbers.text = text;
    const std::size_t length = spelling->word.size();
    numbers.text.replace(i, length, '"' + std::string(length - 2, '?') + '"');
    numbers.found[texts++] = {spelling->value, i};
    i += length - 1;
  }
  return numbers;
}

}  // namespace ropescope
