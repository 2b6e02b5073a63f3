#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ropescope {

/// The words of a sentence, as typed: whatever white space parts. At most kMostWords of them.
std::vector<std::string> words_of(std::string_view sentence);
inline constexpr std::size_t kMostWords = 512;

/// Whether two words are the same but for capitals A–Z and punctuation at both ends.
bool same_word(std::string_view one, std::string_view other);

/// The content of a word: `dim` standard normal numbers from the seed and the word, so that the same word has the same
/// vector wherever it stands. Capitals A–Z and punctuation at both ends make no difference.
Eigen::VectorXd word_vector(std::string_view word, int dim, std::uint64_t seed);

}  // namespace ropescope
