#pragma once

#include <string>

struct ImFont;
struct ImFontAtlas;

namespace ropescope::ui {

/// ImGui rounds every advance for itself, which sets text too loose or too tight: gives `font` the advances that `file`
/// says, rounded evenly (glyphs between pixels would be blurred). The narrow spaces between thousands get a width at
/// which groups are told apart at a glance. Call it after the atlas was built; from ImGui 1.92 on, which loads glyphs
/// when they are drawn, before that.
void use_own_advances(ImFont* font, const std::string& file, double pixels_per_em);

/// Forgets the fonts of an atlas that is to be cleared.
void forget_own_advances();

/// ImGui 1.92 and later: lets the atlas load glyphs by FreeType, with these advances.
void use_own_font_loader(ImFontAtlas& atlas);

}  // namespace ropescope::ui
