#define GLFW_INCLUDE_NONE
#include "app/platform/glfw_start.h"

#include <GLFW/glfw3.h>

#include <cstdlib>
#include <string_view>

namespace ropescope {

namespace {

#if GLFW_VERSION_MAJOR > 3 || GLFW_VERSION_MINOR >= 4
/// Whether Wayland's library could look for a compositor; where it could not it writes a line of its own.
bool wayland_has_a_place() {
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);
    return std::string_view(text ? text : "");
  };
  const auto is_path = [](std::string_view text) { return !text.empty() && text.front() == '/'; };
  return is_path(value("XDG_RUNTIME_DIR")) || is_path(value("WAYLAND_DISPLAY")) || !value("WAYLAND_SOCKET").empty();
}
#endif

/// GLFW 3.4 tries one window system after the other: what is missing is said by us, in one line.
void choose_platform() {
#if GLFW_VERSION_MAJOR > 3 || GLFW_VERSION_MINOR >= 4
  if (glfwPlatformSupported(GLFW_PLATFORM_X11) && !wayland_has_a_place()) {
    glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
  }
#endif
}

}  // namespace

bool start_glfw() {
  choose_platform();
  // Else the current folder is another one within a bundle of macOS.
  glfwInitHint(GLFW_COCOA_CHDIR_RESOURCES, GLFW_FALSE);
  return glfwInit() == GLFW_TRUE;
}

void ask_for_core_context() {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
}

}  // namespace ropescope
