// Locations of font files on this system; fonts.h loads them.
#pragma once

#include <string>
#include <vector>

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

}  // namespace ropescope::ui
