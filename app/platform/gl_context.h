#pragma once

#include <memory>

namespace ropescope {

/// A GL 3.3 core context that draws into no screen; current as long as it lives.
struct GlContext {
  GlContext() = default;
  GlContext(const GlContext&) = delete;
  GlContext& operator=(const GlContext&) = delete;
  virtual ~GlContext() = default;
};

/// Surfaceless EGL, else the EGL device platform: needs no display. Null where the system has neither, or where the
/// program was built without EGL.
std::unique_ptr<GlContext> open_egl_context();

/// That of a GLFW window which nobody sees: needs a display, and is the only way on systems without EGL. Null where
/// there is none. No other window may be open.
std::unique_ptr<GlContext> open_hidden_window();

}  // namespace ropescope
