// Line-break opportunities in text. Used by text_flow.h.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ropescope {

/// Returns where a line of the text may begin, as byte offsets, by Unicode's annex 14 with the strict rules of
/// Japanese: not before 、 。 ー or a small kana. No line begins within a number ("≈ 5 730"), between a number and its
/// counter or noun ("2つ", "図3"), or within a Latin or Hangul word (Korean is set word by word). Excludes offset 0.
std::vector<std::size_t> line_starts(const std::string& text);
/// Returns those of them at which a phrase begins, in a Japanese text: text broken there splits no word, and leaves no
/// particle and no end of a sentence of one or two characters to a line. Empty for other texts.
std::vector<std::size_t> phrase_starts(const std::string& text);

}  // namespace ropescope
