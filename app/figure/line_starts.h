// Where a line of a text may begin. text_flow.h breaks by it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ropescope {

/// Where a line of the text may begin, in bytes, as Unicode's annex 14 says with the strict rules of Japanese: not
/// before 、 。 ー or a small kana, and nowhere within a number ("≈ 5 730"), between a number and what it counts or
/// numbers ("2つ", "図3"), or within a word of Latin or Hangul letters (Korean is set word by word). Without the
/// beginning of the text.
std::vector<std::size_t> line_starts(const std::string& text);
/// Those of them at which a phrase begins, in a short text in Japanese: a title or a label that is parted there tears
/// no word. None in other texts.
std::vector<std::size_t> phrase_starts(const std::string& text);

}  // namespace ropescope
