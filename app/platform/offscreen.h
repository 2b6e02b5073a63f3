#pragma once

#include <memory>

namespace ropescope {

/// A GL 3.3 core context for pictures: EGL without any display, else that of a hidden window
/// (app/platform/gl_context.h; ROPESCOPE_OFFSCREEN=egl or window asks for one of them); with a framebuffer of width ×
/// height pixels bound. Current as long as it lives. Throws InputError where there is none.
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
