#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ropescope {

/// What people read of a text that they gave themselves.
inline constexpr std::size_t kMostEchoed = 80;

/// How wide a text is on screen, in letters: two for Kana, Han and Hangul, none for what stands over another letter.
std::size_t screen_width(std::string_view text);

/// A text of more than kMostEchoed characters (not bytes) without its middle, "aaa…zzz", so that a path keeps its
/// folder and its name.
std::string without_middle(std::string_view text);

/// The first `limit` characters (not bytes) of a text that has more, and "..." after them.
std::string beginning_of(std::string_view text, std::size_t limit);

}  // namespace ropescope
