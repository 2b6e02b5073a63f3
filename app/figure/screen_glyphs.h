#pragma once

#include <set>
#include <string>
#include <string_view>

struct ImFont;

namespace ropescope {

/// Characters that were to be drawn and that the atlas of this context has no glyphs for. Whoever builds the fonts
/// looks at those of the context's ScreenWriting after each frame and builds them again with what is wanted.
struct WantedGlyphs {
  std::set<unsigned> characters;
};

/// Called for every text that is measured or typed.
void want_glyphs(const ImFont* font, std::string_view text);

/// The characters as a text in UTF-8.
std::string utf8_of(const std::set<unsigned>& characters);

}  // namespace ropescope
