// Where the files of fonts are, as the system says; fonts.h loads them.
#pragma once

#include <string>
#include <vector>

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
/// The semibold face of one of FontFiles::others, or the nearest that there is; looked for only where a language needs
/// it, as its file has 20 MB.
FontFiles::Family find_semibold(const std::string& family, const std::string& language);

}  // namespace ropescope::ui
