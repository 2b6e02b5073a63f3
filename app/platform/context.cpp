// Starts GLFW, opens hidden windows, and gives pictures off screen a context and a framebuffer.
//
// Contents: GLFW; A hidden window; Off screen.

#include "app/platform/context.h"

#define GLFW_INCLUDE_NONE

#include <GLFW/glfw3.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "app/gpu/gl_gpu.h"
#include "app/resources/system.h"
#include "core/words.h"

namespace ropescope {

// --- GLFW ----------------------------------------------------------------------------------------------------------

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

// --- A hidden window -----------------------------------------------------------------------------------------------

namespace {

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
    // What is drawn goes into a framebuffer of its own: the window's size says nothing.
    window = glfwCreateWindow(64, 64, "ropescope", nullptr, nullptr);
    if (!window) return false;
    glfwMakeContextCurrent(window);
    return true;
  }
};

/// The context of a GLFW window which nobody sees: needs a display, and is the only way on systems without EGL. Null
/// where there is none. No other window may be open.
std::unique_ptr<GlContext> open_hidden_window() {
  auto opened = std::make_unique<HiddenWindow>();
  if (!opened->open()) return nullptr;
  return opened;
}

}  // namespace

// --- Off screen ----------------------------------------------------------------------------------------------------

namespace {

/// ROPESCOPE_OFFSCREEN says which of the two is to be taken: "egl" or "window".
std::unique_ptr<GlContext> open_context() {
  const std::string wanted = os::environment_path("ROPESCOPE_OFFSCREEN").string();
  std::unique_ptr<GlContext> context;
  if (wanted != "window") context = open_egl_context();
  if (!context && wanted != "egl") context = open_hidden_window();
  return context;
}

}  // namespace

struct OffscreenContext::State {
  std::unique_ptr<GlContext> context;
  std::unique_ptr<GlFramebuffer> framebuffer;  // goes first: it is the context's
};

OffscreenContext::OffscreenContext(int width, int height) : state_(std::make_unique<State>()) {
  state_->context = open_context();
  if (!state_->context) throw InputError("gl.no_context", {});
  state_->framebuffer = std::make_unique<GlFramebuffer>(width, height);
}

OffscreenContext::~OffscreenContext() = default;

}  // namespace ropescope
