// A framebuffer of OpenGL 3.3, for off-screen pictures (app/platform/context.h). Other code draws with gpu.h.
#pragma once

namespace ropescope {

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
