#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ropescope {

/// The `count` known words that differ least from a mistyped one (fewest insertions, deletions and exchanges, without
/// regard to case; a word that contains it counts as near), nearest first; words with nothing in common are left out.
std::vector<std::string> nearest_words(std::string_view word, const std::vector<std::string>& known,
                                       std::size_t count = 3);

/// "a, b or c", for sentences; empty for no words.
std::string or_list(const std::vector<std::string>& words);

}  // namespace ropescope
