#pragma once

#include <string>

namespace ropescope {

/// Puts a PNG on the clipboard. GLFW's clipboard holds text only, so a helper program does it: wl-copy on Wayland,
/// xclip on X11. Throws InputError that names what to install where there is neither.
void copy_picture_to_clipboard(const std::string& png);

}  // namespace ropescope
