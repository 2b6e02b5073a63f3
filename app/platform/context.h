// OpenGL contexts without a visible window: starting GLFW, a hidden window, and off-screen contexts. Used by
// `screenshot` of app/commands; window.h is for the desktop.
#pragma once

#include <memory>

namespace ropescope {

// --- GLFW ----------------------------------------------------------------------------------------------------------

/// Calls glfwInit() with a window system chosen so that only the program reports a missing one. Returns false on
/// failure; glfwGetError() gives the reason.
bool start_glfw();

/// Sets the hints of all contexts: OpenGL 3.3 core profile.
void ask_for_core_context();

// --- Contexts ------------------------------------------------------------------------------------------------------

/// A GL 3.3 core context without a screen; current during its lifetime.
struct GlContext {
  GlContext() = default;
  GlContext(const GlContext&) = delete;
  GlContext& operator=(const GlContext&) = delete;
  virtual ~GlContext() = default;
};

/// Opens a context of surfaceless EGL, otherwise of the EGL device platform; needs no display. Null if the system has
/// neither, or if the program was built without EGL.
std::unique_ptr<GlContext> open_egl_context();

// --- Off screen ----------------------------------------------------------------------------------------------------

/// A GL 3.3 core context for pictures: EGL without a display, otherwise a hidden window (ROPESCOPE_OFFSCREEN=egl or
/// window forces one of them), with a bound framebuffer of width × height pixels. Current during its lifetime. Throws
/// InputError if there is none.
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
