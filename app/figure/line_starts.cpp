#include "app/figure/line_starts.h"

#include <unicode/brkiter.h>
#include <unicode/uscript.h>
#include <unicode/utext.h>

#include <memory>
#include <string_view>

namespace ropescope {

namespace {

bool is_hangul(UChar32 character) {
  UErrorCode ignored = U_ZERO_ERROR;
  return character >= 0 && uscript_getScript(character, &ignored) == USCRIPT_HANGUL;
}

/// Korean particles touch a formula as they touch a word.
bool is_formula(UChar32 character) {
  return character >= 0xF0000 && character <= 0xF0FFF;
}

/// Within "−1.1 × 10⁻¹⁶": a number stays in one line.
bool is_in_number(std::string_view text, std::size_t at) {
  return text.substr(at).starts_with("× 10") ||
         (text.substr(0, at).ends_with("× ") && text.substr(at).starts_with("10"));
}

struct CloseText {
  void operator()(UText* text) const { utext_close(text); }
};

}  // namespace

std::vector<std::size_t> line_starts(const std::string& text) {
  std::vector<std::size_t> starts;
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UText, CloseText> source(
      utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status));
  const std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createLineInstance(icu::Locale("ja@lb=strict"), status));
  if (U_FAILURE(status)) return starts;  // without ICU's data lines break where they are full
  breaks->setText(source.get(), status);
  if (U_FAILURE(status)) return starts;
  for (std::int32_t at = breaks->next(); at != icu::BreakIterator::DONE; at = breaks->next()) {
    const UChar32 before = utext_previous32From(source.get(), at), after = utext_char32At(source.get(), at);
    // A particle stays with the word, number, formula or parenthesis before it, and so does a parenthesis right after a
    // word.
    const bool number = before >= '0' && before <= '9';
    const bool inside = ((is_hangul(before) || is_formula(before) || before == ')' || number) && is_hangul(after)) ||
                        (is_hangul(before) && after == '(');
    if (is_in_number(text, static_cast<std::size_t>(at))) continue;
    if (!inside && static_cast<std::size_t>(at) < text.size()) starts.push_back(static_cast<std::size_t>(at));
  }
  return starts;
}

}  // namespace ropescope
