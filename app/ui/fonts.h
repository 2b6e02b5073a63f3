#pragma once

#include <map>
#include <string>

#include "app/resources/text.h"
#include "app/ui/widgets.h"

namespace ropescope::ui {

/// Font files found through fontconfig, with what stands in for a missing one ("Inter" → any sans).
struct FontFiles {
  std::string regular, semibold;  ///< Inter
  std::string japanese, korean;   ///< Noto Sans CJK JP and KR (collection with face index)
  int japanese_face = 0, korean_face = 0;
  std::string symbols;  ///< DejaVu Sans for ⟨ ⟩ ⌈ ⌉ and superscripts
};
FontFiles find_fonts();

/// Builds ImGui's atlas with FreeType for the glyphs of `text` (every language's), Latin-1, Greek, arrows and
/// mathematical signs; digits merged with equal advance (tabular). Must be called between frames; afterwards the GPU
/// must upload the atlas again. Missing fonts fall back to ImGui's own with a sentence in `warning`.
Fonts build_fonts(const FontFiles& files, const Text& text, float scale, std::string& warning);

}  // namespace ropescope::ui
