// Matching of typed words with names, for the finder: exact, by the start of a word, by a part, or with one typing
// error.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ropescope::ui {

/// Something that can be searched. Both texts are compared without regard to the case of A to Z.
struct Searchable {
  std::string_view label;  ///< as displayed
  std::string_view words;  ///< synonyms, option names and ids, separated by spaces
};

/// What a typed word may match: as it is written, or also with one typing error (a letter wrong, missing, added, or two
/// swapped; words of four letters and more) or with letters missing ("qwn" for "qwen"; three letters and more).
enum class Spelling { exact, fuzzy };

/// Returns the rank of a match, lower is better; nullopt if a typed word matches nothing. Sum over the typed words: 0
/// for the first word of the label, 1 for another word of the label or a synonym, 2 and 3 for the start of such a word,
/// 4 and 5 for a part of it, 10 and more if it is misspelt.
std::optional<int> find_rank(std::string_view typed, const Searchable& item, Spelling spelling);

}  // namespace ropescope::ui
