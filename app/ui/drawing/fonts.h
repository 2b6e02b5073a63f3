// Fonts: found with fontconfig, loaded into ImGui's atlas, measured. app.cpp rebuilds them if text scale, language or
// characters change.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/resources/text.h"
#include "app/ui/drawing/font_files.h"
#include "app/ui/ui.h"

namespace ropescope::ui {

/// Builds ImGui's atlas with FreeType for the glyphs of `text` (every language's), Latin-1, Greek, arrows and
/// mathematical signs; digits have equal advance (tabular). Call it between frames; afterwards the GPU must upload the
/// atlas again. Missing fonts fall back to ImGui's own, with a sentence in `warning`.
///
/// The Han forms are those of the language. `also`: further characters (typed text, file names).
Fonts build_fonts(const FontFiles& files, const Text& text, const std::string& also, float scale, std::string& warning);

}  // namespace ropescope::ui
