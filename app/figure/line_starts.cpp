// Line starts by ICU's rules.

#include "app/figure/line_starts.h"

#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utext.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string_view>

#include "core/utf8.h"

namespace ropescope {

namespace {

bool is_of(UChar32 character, std::initializer_list<UScriptCode> scripts) {
  UErrorCode ignored = U_ZERO_ERROR;
  return character >= 0 && std::count(scripts.begin(), scripts.end(), uscript_getScript(character, &ignored)) > 0;
}

bool is_hangul(UChar32 character) {
  return is_of(character, {USCRIPT_HANGUL});
}

bool is_digit(UChar32 character) {
  return character >= '0' && character <= '9';
}

/// Returns whether a break would be within "2つ" or "図3": a number stays with its counter and its noun. Other words
/// before a number would be split to keep their end with it.
bool is_in_count(UChar32 before, UChar32 after) {
  constexpr std::u32string_view kNumbered = U"図表式第章節";
  return (is_digit(before) && is_of(after, {USCRIPT_HAN, USCRIPT_HIRAGANA})) ||
         (kNumbered.find(static_cast<char32_t>(before)) != std::u32string_view::npos && is_digit(after));
}

/// Returns whether a place is within a number such as "−1.1 × 10⁻¹⁶" or "≈ 5", which is not broken.
bool is_in_number(std::string_view text, std::size_t at) {
  return text.substr(at).starts_with("× 10") ||
         (text.substr(0, at).ends_with("× ") && text.substr(at).starts_with("10")) ||
         (text.substr(0, at).ends_with("≈ ") && at < text.size() && is_digit(text[at]));
}

/// Returns whether a place is right after the hyphens of "--scaling", which its letters follow.
bool is_in_option(std::string_view text, std::size_t at) {
  const std::size_t word = text.find_last_not_of('-', at - 1);
  const bool hyphens = text[at - 1] == '-';
  return hyphens &&
         (word == std::string_view::npos || std::string_view(" `(\"'").find(text[word]) != std::string_view::npos);
}

struct CloseText {
  void operator()(UText* text) const { utext_close(text); }
};

/// Returns where ICU's line breaks in this locale begin a line, except at places that its rules do not cover.
std::vector<std::size_t> starts_in(const std::string& text, const char* locale) {
  std::vector<std::size_t> starts;
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UText, CloseText> source(
      utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status));
  const std::unique_ptr<icu::BreakIterator> breaks(icu::BreakIterator::createLineInstance(icu::Locale(locale), status));
  if (U_FAILURE(status)) return starts;  // without ICU's data, lines break where they are full
  breaks->setText(source.get(), status);
  if (U_FAILURE(status)) return starts;
  for (std::int32_t at = breaks->next(); at != icu::BreakIterator::DONE; at = breaks->next()) {
    const UChar32 before = utext_previous32From(source.get(), at), after = utext_char32At(source.get(), at);
    // Korean words are separated by spaces only: a particle stays with the preceding word, number, formula or closing
    // quotation mark, and so does a parenthesis right after a word.
    const bool inside = (is_hangul(after) && u_isUWhiteSpace(before) == 0) || (is_hangul(before) && after == '(') ||
                        is_in_count(before, after);
    if (is_in_number(text, static_cast<std::size_t>(at)) || is_in_option(text, static_cast<std::size_t>(at))) continue;
    if (!inside && static_cast<std::size_t>(at) < text.size()) starts.push_back(static_cast<std::size_t>(at));
  }
  return starts;
}

/// Returns the character that begins at a byte; negative past the end.
UChar32 character_at(const std::string& text, std::size_t at) {
  UChar32 character = U_SENTINEL;
  auto next = static_cast<std::int32_t>(at);
  const auto size = static_cast<std::int32_t>(text.size());
  if (next < size) U8_NEXT(text.data(), next, size, character);
  return character;
}

/// Returns whether a place is right after a closing bracket, where no particle begins a line.
bool is_before_particle(const std::string& text, std::size_t at) {
  constexpr std::string_view kClosing[] = {"」", "』", "）", ")"};
  const std::string_view before = std::string_view(text).substr(0, at);
  const auto closes = [&](std::string_view mark) { return before.ends_with(mark); };
  return is_of(character_at(text, at), {USCRIPT_HIRAGANA}) &&
         std::any_of(std::begin(kClosing), std::end(kClosing), closes);
}

/// The characters of a text with the byte at which each begins.
struct Characters {
  std::u32string all;
  std::vector<std::size_t> places;
};
Characters split_characters(const std::string& text) {
  Characters characters;
  for (std::size_t at = 0; at < text.size(); at = next_character(text, at)) {
    characters.all += static_cast<char32_t>(character_at(text, at));
    characters.places.push_back(at);
  }
  return characters;
}

bool is_kanji(char32_t character) {
  return is_of(static_cast<UChar32>(character), {USCRIPT_HAN});
}

/// Returns whether ICU's phrases tear a word before character i: a noun from its only kanji before or after, as in
/// 何|千 and 類似|度が, the parts of a compound verb, as in 埋め|込み, or a verb from its ending, as in 小|さく and
/// 動い|ている.
bool tears_word(std::u32string_view text, std::size_t i) {
  constexpr std::u32string_view kParticles = U"がはのをにもへとでやなか、。）」？： ",
                                kJoins = U"きしちみりぎじびけせめれげぜべねえ";
  const auto kanji = [&](std::size_t at) { return at < text.size() && is_kanji(text[at]); };
  if (i == 0) return false;
  const char32_t before = text[i - 1];
  const bool is_counter = i > 1 && is_digit(static_cast<UChar32>(text[i - 2]));
  const bool is_single = kanji(i - 1) && !is_counter && (i < 2 || !kanji(i - 2));
  if (is_of(static_cast<UChar32>(text[i]), {USCRIPT_HIRAGANA})) {
    const std::u32string_view rest = text.substr(i);
    return is_single || rest.starts_with(U"てい") || (before == U'で' && rest.starts_with(U"しょう"));
  }
  if (!kanji(i)) return false;
  const bool is_suffix =
      !kanji(i + 1) && (i + 1 == text.size() || kParticles.find(text[i + 1]) != std::u32string_view::npos);
  const bool has_suffixes =
      is_of(static_cast<UChar32>(before), {USCRIPT_KATAKANA}) || before == U'ー' || before == U'つ';
  if (has_suffixes || kanji(i - 1)) return is_suffix || is_single;
  return i > 1 && kanji(i - 2) && kJoins.find(before) != std::u32string_view::npos;
}

/// Returns whether a piece of a phrase stays with the words before it: a particle, or one or two characters that end a
/// sentence, as in くだ|さい。
bool ends_phrase(std::u32string_view piece) {
  constexpr std::u32string_view kMarks = U"、。？！）」： ", kEnds = U"。？！";
  constexpr std::u32string_view kParticles[] = {U"です", U"では", U"には", U"とは", U"だけ", U"まで", U"から",
                                                U"より", U"なら", U"でも", U"ので", U"のは", U"さい"};
  if (piece.starts_with(U"（")) piece.remove_prefix(1);
  const std::size_t size = std::min(piece.find_first_of(kMarks), piece.size());
  const std::u32string_view word = piece.substr(0, size);
  const bool ends = piece.find_first_of(kEnds, size) != std::u32string_view::npos;
  const bool is_word = std::all_of(word.begin(), word.end(), [ends](char32_t one) {
    return is_of(static_cast<UChar32>(one), {USCRIPT_HIRAGANA, USCRIPT_HAN}) ||
           (ends && is_digit(static_cast<UChar32>(one)));
  });
  // A line does not consist of "26b）。" alone either.
  const bool is_ascii = std::all_of(word.begin(), word.end(), [](char32_t one) { return one < 0x80; });
  if (ends && size <= 3 && is_ascii) return true;
  if (size == 0 || size > 2 || !is_word) return false;
  return ends || (size == 1 && !is_kanji(word[0])) ||
         std::find(std::begin(kParticles), std::end(kParticles), word) != std::end(kParticles);
}

}  // namespace

std::vector<std::size_t> line_starts(const std::string& text) {
  return starts_in(text, "ja@lb=strict");
}

std::vector<std::size_t> phrase_starts(const std::string& text) {
  bool kana = false;
  for (std::size_t at = 0; at < text.size() && !kana; at = next_character(text, at)) {
    kana = is_of(character_at(text, at), {USCRIPT_HIRAGANA, USCRIPT_KATAKANA});
  }
  if (!kana) return {};
  std::vector<std::size_t> starts = starts_in(text, "ja@lb=strict;lw=phrase");
  const Characters characters = split_characters(text);
  const auto index_of = [&](std::size_t at) {
    const auto place = std::lower_bound(characters.places.begin(), characters.places.end(), at);
    return static_cast<std::size_t>(place - characters.places.begin());
  };
  const std::u32string_view all = characters.all;
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const std::size_t i = index_of(starts[k]), end = k + 1 < starts.size() ? index_of(starts[k + 1]) : all.size();
    if (is_before_particle(text, starts[k]) || tears_word(all, i) || ends_phrase(all.substr(i, end - i))) continue;
    kept.push_back(starts[k]);
  }
  return kept;
}

}  // namespace ropescope
