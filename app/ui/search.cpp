// Matching of typed words with labels and synonyms.

#include "app/ui/search.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "app/ui/controls.h"
#include "core/utf8.h"

namespace ropescope::ui {

namespace {

constexpr int kPart = 4, kTypingError = 10, kLettersMissing = 12;
constexpr std::size_t kLeastForError = 4, kLeastForMissing = 3, kLeastForJoined = 6;

/// Returns whether a character belongs to a word: letters, digits, and "_" and "." as in rope_theta and 3.1.
bool is_in_word(std::string_view character) {
  if (character.size() > 1) {
    // Spaces, dashes and the ellipsis of U+2000 to U+206F, CJK punctuation, no-break space and middle dot.
    return !character.starts_with("\u00A0") && !character.starts_with("\u00B7") && !character.starts_with("\xE2\x80") &&
           !character.starts_with("\xE2\x81") && !character.starts_with("\xE3\x80");
  }
  return std::isalnum(static_cast<unsigned char>(character[0])) != 0 || character[0] == '_' || character[0] == '.';
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words(1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = next_character(text, at);
    const std::string_view character = text.substr(at, next - at);
    at = next;
    if (is_in_word(character)) {
      words.back() += character;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// Returns whether the start of a word becomes the typed one by one wrong, missing, added or swapped letter.
bool has_one_error(std::string_view typed, std::string_view word) {
  const auto first_differs = std::mismatch(typed.begin(), typed.end(), word.begin(), word.end()).first;
  const auto at = static_cast<std::size_t>(first_differs - typed.begin());
  const auto rest = [](std::string_view text, std::size_t from) { return text.substr(std::min(from, text.size())); };
  const std::string_view after = rest(typed, at + 1), left = rest(word, at);
  if (rest(word, at + 1).starts_with(after) || left.starts_with(after)) return true;
  if (rest(word, at + 1).starts_with(rest(typed, at))) return true;
  const bool swapped = left.size() > 1 && !after.empty() && typed[at] == left[1] && after[0] == left[0];
  return swapped && rest(word, at + 2).starts_with(rest(typed, at + 2));
}

/// Returns whether the typed letters are in the word in this order, the first one at its start.
bool has_letters(std::string_view typed, std::string_view word) {
  if (word.empty() || typed.front() != word.front()) return false;
  std::size_t found = 0;
  for (const char letter : word) found += found < typed.size() && typed[found] == letter ? 1 : 0;
  return found == typed.size();
}

std::string joined_words(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += word;
  std::erase(all, '_');
  return all;
}

/// Returns the rank of one typed word among the words of a label (`more` 0) or of the synonyms (1); nullopt if it is in
/// none.
std::optional<int> rank_in(const std::string& typed, const std::vector<std::string>& words, int more,
                           Spelling spelling) {
  std::optional<int> best;
  const auto improve = [&best](int rank) { best = std::min(best.value_or(rank), rank); };
  const bool plain = is_ascii(typed);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == typed) improve(i == 0 && more == 0 ? 0 : 1);
    if (word.starts_with(typed)) improve(2 + more);
    if ((typed.size() > 1 || !plain) && word.find(typed) != std::string::npos) improve(kPart + more);
    if (spelling == Spelling::exact || !plain) continue;
    if (typed.size() >= kLeastForError && has_one_error(typed, word)) improve(kTypingError + more);
    if (typed.size() >= kLeastForMissing && has_letters(typed, word)) improve(kLettersMissing + more);
  }
  // "trainedlength", and names in scripts without spaces.
  if (!best && typed.size() >= kLeastForJoined &&
      joined_words(words).find(joined_words({typed})) != std::string::npos) {
    improve(kPart + more);
  }
  return best;
}

}  // namespace

std::optional<int> find_rank(std::string_view typed, const Searchable& item, Spelling spelling) {
  const std::vector<std::string> label = split_words(lower_ascii(std::string(item.label))),
                                 words = split_words(lower_ascii(std::string(item.words)));
  int sum = 0;
  for (const std::string& word : split_words(lower_ascii(std::string(typed)))) {
    const std::optional<int> in_label = rank_in(word, label, 0, spelling), in_words = rank_in(word, words, 1, spelling);
    if (!in_label && !in_words) return std::nullopt;
    sum += std::min(in_label.value_or(kLettersMissing + 1), in_words.value_or(kLettersMissing + 1));
  }
  return sum;
}

}  // namespace ropescope::ui
