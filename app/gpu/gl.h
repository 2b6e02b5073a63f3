// The functions of OpenGL 3.3, for the other sources of app/gpu, and the page (app/platform/web). Linux and macOS link
// them; Windows has those of 1.1 alone, and libepoxy finds the others.
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

/// The first line of shaders, and the version that is needed: WebGL 2 is OpenGL ES 3.0.
#ifdef __EMSCRIPTEN__
inline constexpr const char* kShaderVersion = "#version 300 es";
inline constexpr int kLeastMinor = 0;
#else
inline constexpr const char* kShaderVersion = "#version 330 core";
inline constexpr int kLeastMinor = 3;
#endif

}  // namespace ropescope
