// Starting GLFW, hidden windows, and off-screen contexts with a framebuffer. Read context.h first.
//
// Contents: GLFW; A hidden window; Off screen.

#include "app/platform/context.h"

#define GLFW_INCLUDE_NONE

#include <GLFW/glfw3.h>

#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "app/gpu/gl.h"
#include "app/resources/system.h"
#include "core/message.h"

namespace ropescope {

// --- GLFW ----------------------------------------------------------------------------------------------------------

namespace {

#if GLFW_VERSION_MAJOR > 3 || GLFW_VERSION_MINOR >= 4
/// Returns whether Wayland's library could look for a compositor; otherwise it would write its own message.
bool wayland_has_a_place() {
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);
    return std::string_view(text ? text : "");
  };
  const auto is_path = [](std::string_view text) { return !text.empty() && text.front() == '/'; };
  return is_path(value("XDG_RUNTIME_DIR")) || is_path(value("WAYLAND_DISPLAY")) || !value("WAYLAND_SOCKET").empty();
}
#endif

/// Prevents GLFW 3.4 from trying one window system after another; the program reports a missing one in one line.
void choose_platform() {
#if GLFW_VERSION_MAJOR > 3 || GLFW_VERSION_MINOR >= 4
  if (glfwPlatformSupported(GLFW_PLATFORM_X11) && !wayland_has_a_place()) {
    glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
  }
#endif
}

// --- A hidden window -----------------------------------------------------------------------------------------------

struct HiddenWindow : GlContext {
  bool glfw = false;
  GLFWwindow* window = nullptr;

  ~HiddenWindow() override {
    if (window) glfwDestroyWindow(window);
    if (glfw) glfwTerminate();
  }

  bool open() {
    glfw = start_glfw();
    if (!glfw) return false;
    glfwDefaultWindowHints();
    ask_for_core_context();
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    // Drawing uses a separate framebuffer, so the window's size does not matter.
    window = glfwCreateWindow(64, 64, "ropescope", nullptr, nullptr);
    if (!window) return false;
    glfwMakeContextCurrent(window);
    return true;
  }
};

/// Returns the context of an invisible GLFW window. It needs a display, and is the only way on systems without EGL.
/// Null if there is none. Precondition: no other window is open.
std::unique_ptr<GlContext> open_hidden_window() {
  auto opened = std::make_unique<HiddenWindow>();
  if (!opened->open()) return nullptr;
  return opened;
}

// --- Off screen ----------------------------------------------------------------------------------------------------

/// The environment variable ROPESCOPE_OFFSCREEN selects "egl" or "window".
std::unique_ptr<GlContext> open_context() {
  const std::string wanted = os::environment_path("ROPESCOPE_OFFSCREEN").string();
  std::unique_ptr<GlContext> context;
  if (wanted != "window") context = open_egl_context();
  if (!context && wanted != "egl") context = open_hidden_window();
  return context;
}

}  // namespace

bool start_glfw() {
  choose_platform();
  // Otherwise the current folder would change within a macOS bundle.
  glfwInitHint(GLFW_COCOA_CHDIR_RESOURCES, GLFW_FALSE);
  return glfwInit() == GLFW_TRUE;
}

void ask_for_core_context() {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
}

struct OffscreenContext::State {
  std::unique_ptr<GlContext> context;
  std::unique_ptr<GlFramebuffer> framebuffer;  // destroyed first: it belongs to the context
};

OffscreenContext::OffscreenContext(int width, int height) : state_(std::make_unique<State>()) {
  try {
    state_->context = open_context();
    if (!state_->context) throw InputError("gl.no_context", {});
    state_->framebuffer = std::make_unique<GlFramebuffer>(width, height);
  } catch (const InputError&) {
    // Drivers report a lack of memory as a lack of something else.
    if (os::has_few_addresses()) throw std::bad_alloc();
    throw;
  }
}

OffscreenContext::~OffscreenContext() = default;

}  // namespace ropescope
