// OpenGL contexts without a window on screen: how GLFW is started, a hidden window, and what pictures off screen take.
// `screenshot` of app/commands draws by it; window.h is for the desktop.
#pragma once

#include <memory>

namespace ropescope {

// --- GLFW ----------------------------------------------------------------------------------------------------------

/// glfwInit(), with the window system chosen so that where none is there nobody but us says so. False: glfwGetError()
/// tells why.
bool start_glfw();

/// The hints of the context that everything is drawn with: OpenGL 3.3, its core alone.
void ask_for_core_context();

// --- Contexts ------------------------------------------------------------------------------------------------------

/// A GL 3.3 core context that draws into no screen; current as long as it lives.
struct GlContext {
  GlContext() = default;
  GlContext(const GlContext&) = delete;
  GlContext& operator=(const GlContext&) = delete;
  virtual ~GlContext() = default;
};

/// A context of surfaceless EGL, else of the EGL device platform: needs no display. Null where the system has neither,
/// or where the program was built without EGL.
std::unique_ptr<GlContext> open_egl_context();

// --- Off screen ----------------------------------------------------------------------------------------------------

/// A GL 3.3 core context for pictures: EGL without any display, else that of a hidden window (ROPESCOPE_OFFSCREEN=egl
/// or window asks for one of them), with a framebuffer of width × height pixels bound. Current as long as it lives.
/// Throws InputError where there is none.
class OffscreenContext {
 public:
  OffscreenContext(int width, int height);
  ~OffscreenContext();
  OffscreenContext(const OffscreenContext&) = delete;
  OffscreenContext& operator=(const OffscreenContext&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ropescope
