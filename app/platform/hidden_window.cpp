#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "app/platform/gl_context.h"

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
    // Else the current folder is another one within a bundle of macOS.
    glfwInitHint(GLFW_COCOA_CHDIR_RESOURCES, GLFW_FALSE);
    glfw = glfwInit() == GLFW_TRUE;
    if (!glfw) return false;
    glfwDefaultWindowHints();
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
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
