#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ropescope {

/// Where a line of the text may begin, in bytes, as Unicode's annex 14 says with the strict rules of Japanese: not
/// before 、 。 ー or a small kana, and nowhere within a number or a word of Latin or Hangul letters (Korean is set
/// word by word). Without the beginning of the text.
std::vector<std::size_t> line_starts(const std::string& text);

}  // namespace ropescope
