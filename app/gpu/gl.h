// The functions of OpenGL 3.3, for the other sources of app/gpu alone. Linux and macOS link them; Windows has those of
// 1.1 alone, and libepoxy finds the others.
#pragma once

#if defined(_WIN32)
#include <epoxy/gl.h>
#elif defined(__APPLE__)
#include <OpenGL/gl3.h>
#else
#define GL_GLEXT_PROTOTYPES
#include <GL/glcorearb.h>
#endif
