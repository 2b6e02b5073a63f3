// The functions of OpenGL 3.3, for the other sources of app/gpu and the web page (app/platform/web), and a framebuffer
// for off-screen pictures (app/platform/context.h). Linux and macOS
// link them; Windows provides only those of 1.1, and libepoxy loads the others.
#pragma once

#if defined(_WIN32)
#include <epoxy/gl.h>
#elif defined(__APPLE__)
#include <OpenGL/gl3.h>
#elif defined(__EMSCRIPTEN__)
#include <GLES3/gl3.h>
#else
#define GL_GLEXT_PROTOTYPES
#include <GL/glcorearb.h>
#endif

namespace ropescope {

/// The first line of shaders, and the required version: WebGL 2 is OpenGL ES 3.0.
#ifdef __EMSCRIPTEN__
inline constexpr const char* kShaderVersion = "#version 300 es";
inline constexpr int kMinMinorVersion = 0;
#else
inline constexpr const char* kShaderVersion = "#version 330 core";
inline constexpr int kMinMinorVersion = 3;
#endif

/// A framebuffer of RGBA bytes, bound for drawing and reading during its lifetime. Precondition: a GL 3.3 core context
/// is current, also at destruction. Throws InputError if the card does not support its size.
class GlFramebuffer {
 public:
  GlFramebuffer(int width, int height);
  ~GlFramebuffer();
  GlFramebuffer(const GlFramebuffer&) = delete;
  GlFramebuffer& operator=(const GlFramebuffer&) = delete;

 private:
  unsigned framebuffer_ = 0, colour_ = 0;
};

}  // namespace ropescope
