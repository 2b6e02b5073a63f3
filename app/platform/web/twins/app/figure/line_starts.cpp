// Line breaks for the web page, by the few rules of annex 14 that the texts need; ICU's data would be larger than the
// program. A phrase ends with its kana: what follows them in another script begins the next one.

#include "app/figure/line_starts.h"

#include <string_view>

#include "core/utf8.h"

namespace ropescope {

namespace {

bool is_space(char32_t c) {
  return c == ' ' || c == '\n' || c == 0x2009 || c == 0x3000;
}

/// Returns whether lines may break at a character: Chinese, kana, full-width signs. Korean words are not broken.
bool is_wide(char32_t c) {
  return (c >= 0x2E80 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFF01 && c <= 0xFF60);
}

bool is_hangul(char32_t c) {
  return (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0x1100 && c <= 0x11FF);
}

bool is_digit(char32_t c) {
  return c >= '0' && c <= '9';
}

/// Used before a hyphen: the hyphens of an option, "--scaling", are not between words.
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c & 0x80) != 0;
}

bool stands_in(std::u32string_view list, char32_t c) {
  return list.find(c) != std::u32string_view::npos;
}

/// Characters that must not start a line, and those that must not end one.
constexpr std::u32string_view kNotFirst =
    U"、。，．・：；？！ー々〜）」』】〕］｝〉》ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ,.;:!?)]}%»”’…";
constexpr std::u32string_view kNotLast = U"（「『【〔［｛〈《([{«“‘";

bool may_begin(std::string_view text, std::size_t at, char32_t before, char32_t after) {
  if (is_space(after)) return false;
  if (is_space(before)) {
    const std::string_view head = text.substr(0, at), tail = text.substr(at);
    return !stands_in(U".,:;!?)]}/", after) && !tail.starts_with("× 10") &&
           !(head.ends_with("× ") && tail.starts_with("10")) && !(head.ends_with("≈ ") && is_digit(after));
  }
  if (stands_in(kNotFirst, after) || stands_in(kNotLast, before) || is_hangul(after)) return false;
  if (before == '-') return at > 1 && is_letter(text[at - 2]) && !is_digit(after);
  if (before == 0x2013 || before == 0x2014) return true;
  if (is_hangul(before)) return is_wide(after);
  if (is_digit(before) && is_wide(after)) return false;
  if (stands_in(U"図表式第章節", before) && is_digit(after)) return false;
  return is_wide(before) || is_wide(after);
}

}  // namespace

std::vector<std::size_t> line_starts(const std::string& text) {
  std::vector<std::size_t> starts;
  char32_t before = 0;
  for (std::size_t at = 0; at < text.size(); at = next_character(text, at)) {
    const char32_t after = character_at(text, at).code;
    if (at > 0 && may_begin(text, at, before, after)) starts.push_back(at);
    before = after;
  }
  return starts;
}

std::vector<std::size_t> phrase_starts(const std::string& text) {
  const auto is_hiragana = [](char32_t c) { return c >= 0x3041 && c <= 0x3096; };
  std::vector<std::size_t> starts;
  char32_t before = 0;
  bool kana = false;
  for (std::size_t at = 0; at < text.size(); at = next_character(text, at)) {
    const char32_t after = character_at(text, at).code;
    kana = kana || is_hiragana(after) || (after >= 0x30A1 && after <= 0x30FA);
    const bool ends = is_space(before) || is_hiragana(before) || stands_in(U"、。，．：；？！）」』", before);
    if (at > 0 && ends && !is_hiragana(after) && may_begin(text, at, before, after)) starts.push_back(at);
    before = after;
  }
  return kana ? starts : std::vector<std::size_t>();
}

}  // namespace ropescope
