// Fonts: their files on this system (font_files.cpp), loaded into ImGui's atlas and measured (fonts.cpp).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/resources/text.h"
#include "app/ui/ui.h"

namespace ropescope::ui {

/// Font files found with fontconfig, or substitutes for missing ones ("Inter" → any sans).
struct FontFiles {
  std::string regular, semibold;  ///< Inter
  struct Family {
    std::string name, file;
    int face = 0;  ///< index in a collection
  };
  std::vector<Family> others;  ///< for characters missing in Inter: Noto Sans CJK JP and KR
  std::string mono;            ///< DejaVu Sans Mono
  std::string symbols;         ///< DejaVu Sans for ⟨ ⟩ ⌈ ⌉ and superscripts
};
FontFiles find_fonts();
/// Finds the semibold face of one of FontFiles::others, or the nearest available; searched only if a language needs it,
/// because its file has 20 MB.
FontFiles::Family find_semibold(const std::string& family, const std::string& language);

// --- Atlas ---------------------------------------------------------------------------------------------------------

/// Builds ImGui's atlas with FreeType for the glyphs of `text` (every language's), Latin-1, Greek, arrows and
/// mathematical signs; digits have equal advance (tabular). Call it between frames; afterwards the GPU must upload the
/// atlas again. Missing fonts fall back to ImGui's own, with a sentence in `warning`.
///
/// The Han forms are those of the language. `also`: further characters (typed text, file names).
Fonts build_fonts(const FontFiles& files, const Text& text, const std::string& also, float scale, std::string& warning);

}  // namespace ropescope::ui
