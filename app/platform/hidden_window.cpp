#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "app/platform/gl_context.h"
#include "app/platform/glfw_start.h"

namespace ropescope {

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

}  // namespace

std::unique_ptr<GlContext> open_hidden_window() {
  auto opened = std::make_unique<HiddenWindow>();
  if (!opened->open()) return nullptr;
  return opened;
}

}  // namespace ropescope
