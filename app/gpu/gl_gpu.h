// A framebuffer of OpenGL 3.3, for pictures off screen (app/platform/context.h). gpu.h is what others draw with.
#pragma once

namespace ropescope {

/// A framebuffer of RGBA bytes, bound for drawing and reading as long as it lives. Precondition: a GL 3.3 core context
/// is current, also when it is destroyed. Throws InputError where the card cannot have one of this size.
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
