// An EGL context without a display (context.h), if the program was built with EGL.

#include "app/platform/context.h"

#ifdef ROPESCOPE_EGL

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <array>
#include <vector>

namespace ropescope {

namespace {

EGLDisplay platform_display(EGLenum platform, void* native) {
  const auto get = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
  return get ? get(platform, native, nullptr) : EGL_NO_DISPLAY;
}

/// Returns Mesa's surfaceless platform, then each device, for drivers without that platform.
std::vector<EGLDisplay> candidate_displays() {
  std::vector<EGLDisplay> displays{platform_display(EGL_PLATFORM_SURFACELESS_MESA, nullptr)};
  const auto query = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
  std::array<EGLDeviceEXT, 16> devices{};
  EGLint count = 0;
  if (query && query(static_cast<EGLint>(devices.size()), devices.data(), &count)) {
    for (EGLint i = 0; i < count; ++i) {
      displays.push_back(platform_display(EGL_PLATFORM_DEVICE_EXT, devices[static_cast<std::size_t>(i)]));
    }
  }
  return displays;
}

EGLContext core_context(EGLDisplay display) {
  constexpr std::array<EGLint, 7> kContext{
      EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
      EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
  constexpr std::array<EGLint, 5> kConfig{EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                                          EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (!eglChooseConfig(display, kConfig.data(), &config, 1, &count) || count < 1) config = EGL_NO_CONFIG_KHR;
  return eglCreateContext(display, config, EGL_NO_CONTEXT, kContext.data());
}

struct EglContext : GlContext {
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLContext context = EGL_NO_CONTEXT;

  ~EglContext() override { close(); }

  /// Returns whether this display has a GL 3.3 core context, which is then current.
  bool open(EGLDisplay candidate) {
    if (candidate == EGL_NO_DISPLAY || !eglInitialize(candidate, nullptr, nullptr)) return false;
    display = candidate;
    if (eglBindAPI(EGL_OPENGL_API)) context = core_context(display);
    if (context != EGL_NO_CONTEXT && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) return true;
    close();
    return false;
  }

  void close() {
    if (display == EGL_NO_DISPLAY) return;
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
    eglTerminate(display);
    display = EGL_NO_DISPLAY;
    context = EGL_NO_CONTEXT;
  }
};

}  // namespace

std::unique_ptr<GlContext> open_egl_context() {
  auto opened = std::make_unique<EglContext>();
  for (const EGLDisplay display : candidate_displays()) {
    if (opened->open(display)) return opened;
  }
  return nullptr;
}

}  // namespace ropescope

#else

namespace ropescope {

std::unique_ptr<GlContext> open_egl_context() {
  return nullptr;
}

}  // namespace ropescope

#endif
