#pragma once

#include <string>

#include "app/ui/fonts.h"

namespace ropescope::ui {

/// The semibold face of one of FontFiles::others, or the nearest that there is; looked for only where a language needs
/// it, as its file has 20 MB.
FontFiles::Family find_semibold(const std::string& family, const std::string& language);

}  // namespace ropescope::ui
