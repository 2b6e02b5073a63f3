// Fonts: found by fontconfig, loaded into ImGui's atlas, measured. app.cpp builds them anew when text scale, language
// or characters change.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/resources/text.h"
#include "app/ui/widgets.h"

namespace ropescope::ui {

/// Font files found through fontconfig, with what stands in for a missing one ("Inter" → any sans).
struct FontFiles {
  std::string regular, semibold;  ///< Inter
  struct Family {
    std::string name, file;
    int face = 0;  ///< of a collection
  };
  std::vector<Family> others;  ///< for what Inter lacks: Noto Sans CJK JP and KR
  std::string mono;            ///< DejaVu Sans Mono
  std::string symbols;         ///< DejaVu Sans for ⟨ ⟩ ⌈ ⌉ and superscripts
};
FontFiles find_fonts();

/// Builds ImGui's atlas with FreeType for the glyphs of `text` (every language's), Latin-1, Greek, arrows and
/// mathematical signs; digits merged with equal advance (tabular). Must be called between frames; afterwards the GPU
/// must upload the atlas again. Missing fonts fall back to ImGui's own with a sentence in `warning`.
///
/// The Han forms are those of the language. `also`: characters beyond the texts (what was typed, names of files).
Fonts build_fonts(const FontFiles& files, const Text& text, const std::string& also, float scale, std::string& warning);

}  // namespace ropescope::ui
